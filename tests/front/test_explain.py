"""How an answer came about: kept for the document's last requests, told by a command, printed by `dg-lsp explain`."""

from __future__ import annotations

import json
import logging
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dg_bench.drive.document import AUTOMATIC, INVOKED, Document
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Serve, Served
from dg_lsp.cli.app import run
from dg_lsp.cli.log_lines import last_settings, without_source
from dg_lsp.logs import JsonLines, OneLine


def explain(served: Served, *arguments: object) -> Any:
    params = {"command": "dg.server.explain", "arguments": list(arguments)}
    return served.client.request("workspace/executeCommand", params)["result"]


def test_what_the_model_wrote_and_what_became_of_it(served: Served) -> None:
    served.script(Rule(text="value)  ", passes=3, probability=0.5))
    document = Document(served.client, "print(‸)\n")
    document.items(INVOKED)
    (told,) = explain(served, document.uri)["answers"]
    assert (told["line"], told["column"], told["trigger"], told["source"]) == (1, 7, "invoked", "engine")
    (draft,) = told["candidates"]
    assert (draft["text"], draft["shown"], draft["passes"], draft["stop"]) == ("value)  ", "value", 3, "stable")
    assert draft["confidence"] == 0.5
    assert draft["rules"] == [{"rule": "repeats-line", "before": 8, "after": 5}]
    assert told["ms"] > 0


def test_memory_and_refusals_are_told_too_the_newest_first(served: Served) -> None:
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    document.items(AUTOMATIC)
    document.type("va")
    document.items(AUTOMATIC)
    served.script(Rule(text="   "))
    document.replace_all("y = ‸\n")
    document.items(AUTOMATIC)
    nothing, memory, engine = explain(served, {"uri": document.uri})["answers"]
    assert (engine["source"], memory["source"], nothing["source"]) == ("engine", "memory", "engine")
    assert memory["candidates"] == [{"text": "lue", "shown": "lue"}]
    assert "nothing to say" in nothing["reason"]
    assert nothing["candidates"][0]["shown"] == ""


def test_only_the_last_ten_and_only_while_the_document_is_open(served: Served) -> None:
    document = Document(served.client, "key = ‸\n", uri="file:///w/.env")
    for _ in range(12):
        document.items()
    told = explain(served, document.uri)["answers"]
    assert [one["source"] for one in told] == ["nobody"] * 10
    assert "secrets" in told[0]["reason"]
    document.close()
    assert explain(served, document.uri)["answers"] == []


@pytest.mark.parametrize("arguments", [[], [3], [{}], [None], [{"uri": 3}], ["file:///never.py"]])
def test_arguments_that_name_nothing(served: Served, arguments: list[object]) -> None:
    """An answer with a reason, never an error."""
    told = explain(served, *arguments)
    assert told["answers"] == []
    assert told["reason"]


def test_the_reports_part_of_the_server(served: Served) -> None:
    served.script(Rule(text=" "))
    Document(served.client, "unmistakable_word = ‸\n").items()
    params = {"command": "dg.server.report", "arguments": []}
    text = served.client.request("workspace/executeCommand", params)["result"]["text"]
    assert text.startswith("dg-lsp ")
    assert "engine: ready" in text
    assert "model: scripted on cpu" in text
    assert "nothing to say" in text
    assert "unmistakable_word" not in text


# -- what passes for safe in a log

_TEXT = """rest of a record that began before
2026-01-01 10:00:00,000 INFO dg_lsp.settings: settings: {"completion": {"maxLines": 2}}
2026-01-01 10:00:01,000 DEBUG dg_lsp.source: secret = 1\\n2026-01-01 10:00:00,000 INFO dg_lsp.x: secret | more
Traceback of a library, secret
2026-01-01 10:00:02,000 WARNING dg_lsp.requests: no completion: x
2026-01-01 10:00:02,000 WARNING someone.else: secret
{"logger": "dg_lsp.x", "message": "secret, in a document"}
"""


def test_records_with_source_text_are_left_out() -> None:
    kept = list(without_source(_TEXT.splitlines()))
    assert [line.split()[3] for line in kept] == ["dg_lsp.settings:", "dg_lsp.requests:"]
    assert last_settings(_TEXT.splitlines()) == '{"completion": {"maxLines": 2}}'


def test_records_in_json() -> None:
    records = [
        {"time": "", "level": "info", "logger": "dg_lsp.settings.configuration", "message": 'settings: {"log": {}}'},
        {"time": "", "level": "debug", "logger": "dg_lsp.source", "message": "settings: secret"},
        {"message": "of nobody"},
    ]
    lines = [*map(json.dumps, records), "{broken", "[1]"]
    assert list(without_source(lines)) == lines[:1]
    assert last_settings(lines) == '{"log": {}}'
    assert last_settings([]) is None


def test_a_record_is_one_line_whatever_it_quotes() -> None:
    record = logging.LogRecord("dg_lsp.source", logging.DEBUG, "", 0, "a\nb\r\nc", (), None)
    assert OneLine("%(message)s").format(record) == "a\\nb\\r\\nc"
    assert "\n" not in JsonLines().format(record)


# -- at the terminal


@pytest.mark.slow
def test_explain_at_the_terminal(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    """One request through a server of its own."""
    engine = serve(Script(rules=[Rule(text="value)")]), initialize=False).engine
    for name, value in {**environment, "DG_LSP_ENGINE_SOCKET": str(engine.path)}.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "shop.py"
    file.write_text("import os\nprint()\n", encoding="utf-8")
    assert run(["explain", f"{file}:2:7", "--json"]) == 0
    *lines, last = capfd.readouterr().out.splitlines()
    assert lines[0].startswith(f"{file}:2:7, asked by hand, answered by the engine in ")
    assert any("rule repeats-line: 6 characters became 5" in line for line in lines)
    assert json.loads(last)["candidates"][0]["shown"] == "value"
    assert engine.jobs[-1].prefix.endswith("print(")
    secret = tmp_path / ".env"
    secret.write_text("KEY = ", encoding="utf-8")
    assert run(["explain", f"{secret}:1:7"]) == 0
    out = capfd.readouterr().out
    assert "not passed on to the engine" in out
    assert "Nothing was shown: Files that hold secrets" in out


@pytest.mark.slow
def test_a_report_is_shown_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """Without what quotes documents and without the user's folders; only when told to."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    log = home / "server.log"
    log.write_text(_TEXT + f"2026-01-01 10:00:03,000 WARNING dg_lsp.x: in {home}/project\n", encoding="utf-8")
    target = tmp_path / "report.zip"
    assert run(["report", "--log-file", str(log), "--output", str(target)]) == 0
    assert not target.exists()
    assert "Nothing was written" in capfd.readouterr().out
    assert run(["report", "--log-file", str(log), "--output", str(target), "--yes"]) == 0
    shown = capfd.readouterr().out
    with zipfile.ZipFile(target) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert {"doctor.txt", "engines.json", "settings.json", "server.log"} <= set(files)
    assert files["settings.json"] == '{"completion": {"maxLines": 2}}'
    assert "secret" not in "".join(files.values())
    assert str(home) not in "".join(files.values())
    assert "in ~/project" in files["server.log"]
    for text in files.values():
        assert text.rstrip() in shown


@pytest.mark.slow
def test_what_is_kept_and_where(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert run(["paths", "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    by_name = {one["name"]: one for one in json.loads(last)["paths"]}
    assert by_name["engine sockets"]["path"].startswith(environment["XDG_RUNTIME_DIR"])
    assert by_name["engine logs"]["path"].startswith(environment["XDG_STATE_HOME"])
    assert all(one["holds"] and one["erase"] for one in by_name.values())
    assert sum("erase:" in line for line in lines) == len(by_name)
