"""JSON-RPC over stdio: ids, faults, order, and exactly one answer a request."""

from __future__ import annotations

import json

import pytest

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served

METHOD = "textDocument/inlineCompletion"


@pytest.mark.parametrize("message_id", ["a-1", 0, "1", "", "ü😀"])
def test_ids_come_back_as_they_were(served: Served, message_id: int | str) -> None:
    """Strings, zero, the empty string."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    params = {"textDocument": {"uri": document.uri}, "position": document.position(4), "context": {"triggerKind": 1}}
    answer = served.client.request(METHOD, params, message_id=message_id)
    assert answer["id"] == message_id
    assert len(answer["result"]) == 1


def test_an_id_that_is_in_use(served: Served) -> None:
    """The second request is refused, the first is answered."""
    served.script(Rule(hold=True))
    document = Document(served.client, "x = ‸\n")
    other = Document(served.client, "y = ‸\n")
    params = {"textDocument": {"uri": document.uri}, "position": document.position(4), "context": {"triggerKind": 1}}
    served.client.begin(METHOD, params, message_id="twice")
    served.client.begin(METHOD, {**params, "textDocument": {"uri": other.uri}}, message_id="twice")
    assert served.client.wait("twice")["error"]["code"] == -32600
    served.settle()
    served.engine.let_go()
    served.client.wait_for(lambda: len(served.client.doubled) == 1, "the first one's answer")
    assert len(served.client.doubled.pop()["result"]) == 1


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such", None, -32601),
        ("$/no/such", {}, -32601),
        ("workspace/executeCommand", {}, -32602),
        ("workspace/executeCommand", None, -32602),
        ("initialize", {"capabilities": {}}, -32600),
    ],
)
def test_standard_codes(served: Served, method: str, params: object, code: int) -> None:
    """No pop-up with them."""
    assert served.client.request(method, params)["error"]["code"] == code
    assert not served.client.notified("window/showMessage")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"Content-Length: 1\r\n\r\n{", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 999999999999\r\n\r\n", -32700),
        (b"no header at all\r\n\r\n", -32700),
    ],
    ids=["no json", "batch", "absurd length", "garbage"],
)
def test_unreadable_messages(served: Served, data: bytes, code: int) -> None:
    """An error without an id; the next message is read."""
    served.client.answers.pop(None, None)
    served.client.send_bytes(data)
    assert served.client.wait(None)["error"]["code"] == code
    served.settle()


def test_lenient_headers(served: Served) -> None:
    """Lower case, a content type, LF only."""
    for number, head in enumerate(
        (b"content-length:%d\r\n\r\n", b"Content-Type: x\r\nCONTENT-LENGTH: %d\r\n\r\n", b"Content-Length: %d\n\n")
    ):
        body = json.dumps({"jsonrpc": "2.0", "id": f"head {number}", "method": "dg/status"}).encode()
        served.client.send_bytes(head % len(body) + body)
        assert served.client.wait(f"head {number}")["result"]["engine"]["state"] in {"absent", "loading", "ready"}


def test_malformed_notifications_do_no_harm(served: Served) -> None:
    """Nor do those for documents that nobody opened, nor unknown ones."""
    client = served.client
    client.notify("textDocument/didOpen", {"textDocument": {}})
    client.notify("textDocument/didOpen", None)
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": "file:///nobody.py", "version": 1}, "contentChanges": [{"text": "x"}]},
    )
    client.notify("textDocument/didChange", {"contentChanges": 3})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///nobody.py"}})
    client.notify("$/cancelRequest", {"id": [1]})
    client.notify("$/cancelRequest", None)
    client.notify("$/setTrace", {"value": "verbose"})
    client.notify("workspace/didChangeConfiguration", None)
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    client.notify("textDocument/didFocus", {"textDocument": {"uri": "file:///a"}})
    client.notify("textDocument/didShowCompletion", {"item": {"command": {"arguments": [{"id": 1}]}}})
    client.notify("textDocument/didPartiallyAcceptCompletion", {"acceptedLength": "many"})
    served.settle()
    assert not client.notified("window/showMessage")


def test_before_initialize(serve: Serve) -> None:
    """Requests get -32002; documents that come too early are not taken in."""
    served = serve(initialize=False)
    early = Document(served.client, "x = ‸\n")
    assert served.client.wait(early.begin())["error"]["code"] == -32002
    served.client.initialize(options={"engine": {"socket": str(served.engine.path)}})
    assert early.items() == []


def test_after_shutdown(serve: Serve) -> None:
    """Every request is refused with -32600, running ones end, exit is clean."""
    served = serve()
    served.script(Rule(hold=True))
    document = Document(served.client, "x = ‸\n")
    pending = document.begin()
    assert served.client.request("shutdown")["result"] is None
    assert served.client.wait(pending)["error"]["code"] == -32800
    for method in (METHOD, "dg/status", "no/such", "shutdown"):
        assert served.client.request(method, {})["error"]["code"] == -32600
    served.client.notify("exit")
    assert served.client.exit_code() == 0


def test_the_server_asks_nothing_that_was_not_announced(serve: Serve) -> None:
    """A client without capabilities gets answers and nothing else."""
    served = serve(initialize=False)
    served.client.request(
        "initialize",
        {"processId": None, "capabilities": {}, "initializationOptions": {"engine": {"socket": str(served.engine.path)}}},
    )
    served.client.notify("initialized", {})
    assert len(Document(served.client, "x = ‸\n").items()) == 1
    assert served.client.asked == []
    assert served.client.notifications == []
