"""What the log holds: no source text, whatever goes wrong, and nothing from libraries on stdout."""

from __future__ import annotations

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Served

MARK = "zanzibar_quota"


def test_no_source_text(served: Served) -> None:
    """At the loudest level, with faults of every kind in between."""
    client = served.client
    client.notify("workspace/didChangeConfiguration", {"settings": {"log": "debug"}})
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
    assert client.stop() == 0
    log = served.log.read_text()
    assert "no completion" in log
    assert MARK not in log
