"""What the log holds: no source text unless asked for, a line for each answer, JSON lines on request, levels that change live."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served

MARK = "zanzibar_quota"


def configure(served: Served, log: object) -> None:
    """Push the setting, and wait until it was read."""
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"log": log}})
    served.settle()


def logged(served: Served) -> str:
    """The whole log of a server that was stopped."""
    assert served.client.stop() == 0
    return served.log.read_text("utf-8")


def test_no_source_text(serve: Serve) -> None:
    """At the loudest level, with faults of every kind in between."""
    served = serve()
    client = served.client
    configure(served, "debug")
    served.script(Rule(document="failed.py", fail="not_finite"), Rule(text=f"{MARK} + 1"))
    for uri in ("file:///w/fine.py", "file:///w/failed.py"):
        document = Document(client, f"{MARK} = 1\nx = ‸\n", uri=uri)
        document.items()
        document.type(MARK)
        document.items()
    at = {"line": MARK, "character": MARK}
    changes = [{"range": {"start": at, "end": at}, "text": MARK}, {"text": [MARK]}]
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": "file:///w/fine.py", "version": 9}, "contentChanges": changes}
    )
    client.notify("textDocument/didOpen", {"textDocument": {"uri": 3, "text": MARK}})
    client.notify("workspace/didChangeConfiguration", {"settings": {"completion": {"maxLines": [MARK]}}})
    client.request("textDocument/inlineCompletion", {"textDocument": MARK, "position": MARK})
    client.request("workspace/executeCommand", {"command": {"x": MARK}})
    client.send_bytes(b"Content-Length: 20\r\n\r\n" + MARK.encode().ljust(20))
    client.wait(None)
    log = logged(served)
    assert "no completion" in log
    assert MARK not in log


def test_a_long_run_leaves_no_words_of_its_documents(serve: Serve) -> None:
    """Every document has a word of its own; none is in the log."""
    served = serve()
    configure(served, "debug")
    served.script(Rule(text="quagga_row"))
    for number in range(200):
        document = Document(served.client, f"okapi_{number}_word = ‸\n", uri=f"untitled:{number}")
        message_id = document.begin()
        document.type("q")
        served.client.cancel(message_id)
        document.items()
        document.close()
    log = logged(served)
    assert "textDocument/inlineCompletion answered after" in log
    assert "okapi" not in log
    assert "quagga" not in log


def test_every_answer_has_a_line_with_its_time(serve: Serve) -> None:
    served = serve()
    configure(served, "info")
    served.script(Rule(document="a.py", text="value"), Rule(hold=True))
    Document(served.client, "x = ‸\n", uri="file:///w/a.py").items()
    held = Document(served.client, "x = ‸\n", uri="file:///w/b.py").begin()
    served.client.cancel(held)
    served.client.wait(held)
    log = logged(served)
    assert log.count("textDocument/inlineCompletion answered after") == 1
    assert log.count("textDocument/inlineCompletion cancelled after") == 1


def test_a_change_of_a_document_that_is_not_open_has_a_line(serve: Serve) -> None:
    """And nothing else comes of it."""
    served = serve()
    configure(served, "info")
    change = {"textDocument": {"uri": "file:///w/nobody.py", "version": 2}, "contentChanges": [{"text": MARK}]}
    served.client.notify("textDocument/didChange", change)
    served.settle()
    assert served.client.notified("window/showMessage") == []
    log = logged(served)
    assert log.count("A change of a document that is not open was passed over.") == 1
    assert MARK not in log


def test_json_lines(serve: Serve) -> None:
    served = serve()
    configure(served, {"level": "info", "format": "json"})
    Document(served.client, "x = ‸\n", uri="file:///w/.env").items()
    lines: list[dict[str, Any]] = [json.loads(line) for line in logged(served).splitlines() if line.startswith("{")]
    assert {"time", "level", "logger", "message"} == set(lines[0])
    (reason,) = [line for line in lines if "secrets" in line["message"]]
    assert (reason["level"], reason["logger"]) == ("warning", "dg_lsp.requests.completions")


def test_levels_change_live(serve: Serve) -> None:
    served = serve()
    asked = 0
    for level in ("info", "error", "debug"):
        configure(served, level)
        asked += 1
        Document(served.client, "x = ‸\n", uri="untitled:x").items()
    assert logged(served).count("inlineCompletion answered after") == asked - 1


@pytest.mark.parametrize("wanted", [False, True])
def test_source_text_for_who_asks(serve: Serve, wanted: bool) -> None:
    served = serve()
    configure(served, {"level": "debug", "sourceText": wanted})
    served.script(Rule(text="giraffe"))
    Document(served.client, f"{MARK} = ‸\n").items()
    log = logged(served)
    assert (MARK in log, "giraffe" in log) == (wanted, wanted)
