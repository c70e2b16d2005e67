"""What a client, or somebody at a terminal, gets wrong: an answer or one sentence, never an error that pops up and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dg_bench.drive.client import Client
from dg_bench.drive.document import METHOD, Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served

AT = {"line": 0, "character": 4}


def ask(served: Served, uri: str) -> Any:
    """The result of a request in a document."""
    params = {"textDocument": {"uri": uri}, "position": AT, "context": {"triggerKind": 1}}
    answer = served.client.request(METHOD, params)
    assert "error" not in answer, answer
    return answer["result"]


@pytest.mark.parametrize("uri", ["file://[x/a.py", "ftp://[main]/b.py", "//[::1", "untitled:\ud800", "", "%", "file:"])
def test_any_uri_is_a_document(served: Served, uri: str) -> None:
    served.script(Rule(text="value"))
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "x = "}
    served.client.notify("textDocument/didOpen", {"textDocument": item})
    assert len(ask(served, uri)) == 1
    assert "result" in served.client.request("dg/status", {"textDocument": {"uri": uri}})
    released = len(served.engine.released)
    served.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    served.engine.wait_for(lambda engine: len(engine.released) == released + 1, "the release")


@pytest.mark.parametrize("version", [None, "1", 1.5])
def test_a_change_without_a_version_counts(served: Served, version: object) -> None:
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    identifier = {"uri": document.uri, "version": version}
    change = {"range": None, "text": "yy = "}
    served.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
    ask(served, document.uri)
    assert served.engine.jobs[-1].prefix == "yy ="


@pytest.mark.parametrize("changes", [[{"text": [3]}], [3], "x", [{"range": {"start": 1}, "text": "x"}], None])
def test_after_a_change_that_cannot_be_read_nothing_old_is_shown(served: Served, changes: object) -> None:
    """The document is closed until it is opened again: nobody knows its text."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    identifier = {"uri": document.uri, "version": 2}
    served.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})
    assert ask(served, document.uri) == []
    again = Document(served.client, "x = ‸\n", uri=document.uri)
    assert len(again.items()) == 1


@pytest.mark.parametrize("kind", [[], {}, None, "2", 2.5, True])
def test_any_trigger_kind(served: Served, kind: object) -> None:
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    params = document.params() | {"context": {"triggerKind": kind}}
    assert len(served.client.request(METHOD, params)["result"]) == 1


def test_an_inverted_range_of_the_pop_up_is_none(served: Served) -> None:
    served.script(Rule(text="value"))
    document = Document(served.client, "x = y‸ zz\n")
    selected = {"range": {"start": document.position(8), "end": document.position(document.cursor)}, "text": "yes"}
    assert document.items(selected=selected) == []


@pytest.mark.parametrize("encodings", [5, [5, None, {}], [[]], "utf-8", None, []])
def test_any_offer_of_encodings(serve: Serve, encodings: object) -> None:
    served = serve(initialize=False)
    params = {"processId": None, "capabilities": {"general": {"positionEncodings": encodings}}}
    assert served.client.request("initialize", params)["result"]["capabilities"]["positionEncoding"] == "utf-16"


@pytest.mark.parametrize(
    "engine",
    [{"model": "~nosuchuser/m"}, {"model": "/" + "y" * 300}, {"socket": "/w/\ud800"}, {"socket": "/" + "x" * 300}],
)
def test_settings_that_no_engine_can_come_of(environment: dict[str, str], engine: dict[str, str]) -> None:
    """Said at once, and in the status."""
    with Client(environment=environment) as client:
        client.initialize(options={"engine": engine})
        document = Document(client, "x = ‸\n")
        assert document.items() == []
        report = client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
        assert report["kind"] == "Error"
        assert report["document"]["reason"] == report["message"]
        assert client.stop() == 0


def test_another_engine_forgets_what_the_old_one_said(served: Served) -> None:
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    assert len(document.items()) == 1
    jobs = len(served.engine.jobs)
    socket = str(served.engine.path)
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"engine": {"socket": socket, "threads": 3}}})
    document.items(2)
    assert len(served.engine.jobs) == jobs + 1


def test_half_a_line_end_typed_ends_what_hung_on_the_place(served: Served) -> None:
    """A CR in front of a LF adds no line: where the cursor is then nobody can tell from the change."""
    served.script(Rule(text="\n    pass", hold=True))
    document = Document(served.client, "def f(a):‸\n")
    jobs = len(served.engine.jobs)
    asked = document.begin()
    served.engine.wait_for(lambda engine: len(engine.jobs) > jobs, "the job")
    document.edit(document.cursor, document.cursor, "\r")
    assert served.client.wait(asked)["error"]["code"] == -32800


def run(*words: str, cwd: Path | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    """The command line."""
    command = [sys.executable, "-P", "-m", "dg_lsp", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=cwd, errors="replace", **more)


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["complete", f"a.py:4:{'9' * 5000}"], "is not FILE:LINE:COL"),
        (["complete", f"{'n' * 300}:1:1"], "cannot be read"),
        (["complete", "fifo:1:1"], "no regular file"),
        (["complete", "/dev/zero:1:1"], "no regular file"),
        (["complete", "a.py:1:1", "--model", "~nosuchuser/x"], "does not exist"),
        (["complete", "a.py:1:1", "--seed", "18446744073709551616"], "--seed"),
        (["complete", ".env:1:1"], "never completed"),
    ],
)
def test_one_sentence_at_the_terminal(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    (tmp_path / ".env").write_text("A=b\n")
    os.mkfifo(tmp_path / "fifo")
    done = run(*words, cwd=tmp_path)
    assert done.returncode in {1, 2}
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.e2e
def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xff.py")
    (tmp_path / name).write_text("x = \n")
    done = run("complete", f"{name}:1:5", "--json", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


@pytest.mark.e2e
def test_a_full_disk_and_a_closed_stdin_are_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-P", "-m", "dg_lsp", "engine", "status"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    shell = f"{sys.executable} -P -m dg_lsp --stdio <&-"
    closed = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
    assert (closed.returncode, "Traceback" in closed.stderr) == (1, False)
