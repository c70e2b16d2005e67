"""JSON-RPC messages as plain objects: reading bodies, telling the kinds apart, error codes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import msgspec

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
CANCELLED: Final = -32800

MessageId = int | str


class RequestError(Exception):
    """A request ends with this error."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Call:
    """A request (with an id) or a notification (without)."""

    method: str
    params: Any
    id: MessageId | None
    """None for a notification."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The client's answer to a request of ours."""

    id: MessageId | None
    result: Any
    error: Any


def read(body: bytes) -> Call | Reply:
    """The message of a body. Raises RequestError: what the peer is to be told, with id null."""
    message = _parsed(body)
    if not isinstance(message, dict):
        raise RequestError(INVALID_REQUEST, "A message must be one JSON object.")
    if "method" in message:
        return _call(message)
    if "id" in message and ("result" in message or "error" in message):
        return Reply(message["id"], message.get("result"), message.get("error"))
    raise RequestError(INVALID_REQUEST, "A message needs a method, or an id with a result or an error.")


def write(message: dict[str, Any]) -> bytes:
    """The body of a message."""
    try:
        return msgspec.json.encode(message)
    except (UnicodeEncodeError, msgspec.MsgspecError, TypeError):
        return json.dumps(message).encode()  # lone surrogates: escaped there, refused by msgspec


def _call(message: dict[str, Any]) -> Call:
    method, message_id = message["method"], message.get("id")
    if not isinstance(method, str):
        raise RequestError(INVALID_REQUEST, "A method must be a string.")
    if "id" in message and (isinstance(message_id, bool) or not isinstance(message_id, int | str)):
        raise RequestError(INVALID_REQUEST, "An id must be a string or an integer.")
    return Call(method, message.get("params"), message_id)


def _parsed(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(body)  # accepts the lone surrogates that an editor's buffer may hold
    except (ValueError, RecursionError):
        raise RequestError(PARSE_ERROR, "A message that is no JSON.") from None
