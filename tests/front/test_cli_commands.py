"""The command line as a person meets it: real processes, the built-in starter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.e2e

SOURCE = "def mean(values):\n    if not values:\n        return 0\n    return sum(values) / \n"


def run(*arguments: str, stdin: str = "", timeout: float = 60) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "dg_lsp", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mean.py"
    path.write_text(SOURCE, "utf-8")
    return path


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, "dg-lsp 0.1.0\n")


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("complete", "demo", "doctor", "engine", "bench"))


@pytest.mark.parametrize("command", [["complete"], ["demo"], ["doctor"], ["engine", "serve"], ["bench"], ["bench", "engine"]])
def test_each_command_teaches(command: list[str]) -> None:
    done = run(*command, "--help")
    assert done.returncode == 0
    assert "sage" in done.stdout


def test_a_misspelt_command_is_told_the_nearest() -> None:
    done = run("compelte")
    assert (done.returncode, "`complete`" in done.stderr) == (2, True)


def test_options_that_an_editor_appends_do_not_stop_the_server() -> None:
    done = run("--node-ipc", "--stdio", "--clientProcessId=1")
    assert done.returncode == 1, "stdin ended without `exit`"
    assert done.stdout == ""
    assert "--node-ipc" in done.stderr
    assert "Traceback" not in done.stderr


def test_complete_prints_one_json_object_last(file: Path) -> None:
    done = run("complete", f"{file}:4:26", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(answer["text"], str)
    assert (answer["file"], answer["line"], answer["column"], answer["profile"]) == (str(file), 4, 26, "starter")
    assert answer["passes"] >= 1
    assert answer["ms"]["denoise"] > 0
    assert [end for end, _ in answer["confidence"]][-1:] in ([len(answer["text"])], [])


def test_complete_repeats_and_is_the_same_in_this_process(file: Path) -> None:
    texts = {
        json.loads(run("complete", f"{file}:4:26", "--json", *more).stdout.splitlines()[-1])["text"]
        for more in ([], ["--in-process"])
    }
    assert len(texts) == 1


def test_complete_shows_the_line_with_the_insertion(file: Path) -> None:
    done = run("complete", f"{file}:4:26")
    assert done.returncode == 0
    assert done.stdout.startswith("    return sum(values) / ")
    assert "passes" in done.stderr
    assert file.read_text("utf-8") == SOURCE


@pytest.mark.parametrize(
    ("place", "code", "says"),
    [("nowhere.py:1:1", 1, "does not exist"), ("mean.py", 2, "is not FILE:LINE:COL"), ("mean.py:99:1", 1, "has 5 lines")],
)
def test_complete_says_what_is_wrong(file: Path, place: str, code: int, says: str) -> None:
    done = run("complete", str(file.parent / place))
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_complete_with_a_model_that_is_not_there(file: Path) -> None:
    done = run("complete", f"{file}:1:1", "--model", str(file.parent / "no-model"))
    assert done.returncode == 1
    assert "no-model does not exist" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_finds_a_sound_installation() -> None:
    done = run("doctor", "--json")
    report = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, report["ok"]) == (0, True), report
    assert {"Python", "torch", "model", "device", "memory", "completion"} <= {check["name"] for check in report["checks"]}


def test_doctor_says_what_is_missing(tmp_path: Path) -> None:
    done = run("doctor", "--model", str(tmp_path / "gone"))
    assert done.returncode == 1
    assert "missing model:" in done.stdout
    assert "gone does not exist" in done.stdout


def test_demo_draws_real_completions_and_their_picture(tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    done = run("demo", "--svg", str(picture), timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("pass 1 of at most") == 3
    assert len(re.findall(r"after \d passes, \d+ ms", done.stdout)) == 3
    assert done.stdout.count("with loading the model") == 1
    assert ET.parse(picture).getroot().tag.endswith("svg")  # noqa: S314 - our own output
