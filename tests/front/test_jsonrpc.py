"""Bodies into messages."""

from __future__ import annotations

import json

import pytest

from dg_lsp.transport import jsonrpc
from dg_lsp.transport.jsonrpc import Call, Reply, RequestError


@pytest.mark.parametrize("message_id", [0, 7, "", "a-1", "ü😀"])
def test_ids(message_id: int | str) -> None:
    """Strings and integers, the empty and the zero one too."""
    body = json.dumps({"jsonrpc": "2.0", "id": message_id, "method": "m", "params": [1]}).encode()
    assert jsonrpc.read(body) == Call("m", [1], message_id)


def test_notifications_and_replies() -> None:
    """No id, or no method."""
    assert jsonrpc.read(b'{"method": "m"}') == Call("m", None, None)
    assert jsonrpc.read(b'{"id": 1, "result": null}') == Reply(1, None, None)
    assert jsonrpc.read(b'{"id": "x", "error": {"code": 1}}') == Reply("x", None, {"code": 1})


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", jsonrpc.PARSE_ERROR),
        (b"\xff", jsonrpc.PARSE_ERROR),
        (b"[" * 100_000, jsonrpc.PARSE_ERROR),
        (b"[]", jsonrpc.INVALID_REQUEST),
        (b"3", jsonrpc.INVALID_REQUEST),
        (b"{}", jsonrpc.INVALID_REQUEST),
        (b'{"id": 1}', jsonrpc.INVALID_REQUEST),
        (b'{"method": 3}', jsonrpc.INVALID_REQUEST),
        (b'{"method": "m", "id": null}', jsonrpc.INVALID_REQUEST),
        (b'{"method": "m", "id": true}', jsonrpc.INVALID_REQUEST),
        (b'{"method": "m", "id": 1.5}', jsonrpc.INVALID_REQUEST),
    ],
)
def test_what_is_no_message(body: bytes, code: int) -> None:
    """The standard codes."""
    with pytest.raises(RequestError) as caught:
        jsonrpc.read(body)
    assert caught.value.code == code


def test_lone_surrogates_pass_both_ways() -> None:
    """An editor's buffer may hold half a pair."""
    call = jsonrpc.read(b'{"method": "m", "params": "\\ud83d"}')
    assert isinstance(call, Call)
    assert call.params == "\ud83d"
    assert json.loads(jsonrpc.write({"result": call.params})) == {"result": "\ud83d"}
