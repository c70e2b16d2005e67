"""Messages as no client should send them, seeded: broken JSON, wrong types, wrong order, odd ids, lone surrogates, absurd frames."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from dg_bench.drive.client import MessageId

Json = Any

METHODS: Final = (
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didSave",
    "textDocument/inlineCompletion",
    "textDocument/didFocus",
    "textDocument/didShowCompletion",
    "textDocument/didPartiallyAcceptCompletion",
    "workspace/executeCommand",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWorkspaceFolders",
    "workspace/didChangeWatchedFiles",
    "dg/status",
    "initialize",
    "initialized",
    "$/setTrace",
    "$/cancelRequest",
    "$/no/such",
    "no/such",
    "",
)
URIS: Final = (
    "file:///w/a.py",
    "file:///w/b.py",
    "untitled:Untitled-1",
    "vscode-notebook-cell:/n.ipynb#W0",
    "file:///w/.env",
    "",
    "x",
)
_FIRST_ID: Final = 1_000_000
"""Above the ids of the client's own requests."""
_TEXT: Final = (
    "",
    "x",
    "\n",
    "\r",
    "\r\n",
    "😀",
    "é",
    "日本",
    "\ud800",
    "\udfff",
    "\x00",
    "\u2028",
    "(",
    ")",
    '"',
    "    ",
    "\t",
    "def f():\n",
)
_ODD: Final[tuple[Json, ...]] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    1.5,
    2**31,
    2**63,
    -(2**63),
    1e308,
    "",
    "x",
    "\ud83d",
    [],
    {},
    [[]],
    {"a": {}},
    "1" * 3000,
)


@dataclass(frozen=True)
class Sent:
    """What goes to the server: framed bytes, and the id of the request in it that must be answered."""

    data: bytes
    answered: MessageId | None = None


class Fuzz:
    """An endless source; the same seed gives the same messages."""

    def __init__(self, seed: int, *, frames: bool = True) -> None:
        """`frames`: also break the framing itself."""
        self._random = random.Random(seed)  # noqa: S311 - reproducible, no secret
        self._next = _FIRST_ID
        self._kinds: list[tuple[Callable[[], Sent], int]] = [
            (self._sound, 50),
            (self._bent, 30),
            (self._shapeless, 8),
            (self._broken_json, 6),
        ]
        if frames:
            self._kinds.append((self._broken_frame, 6))

    def message(self) -> Sent:
        """The next one."""
        makers, weights = zip(*self._kinds, strict=True)
        made: Sent = self._random.choices(makers, weights)[0]()
        return made

    # -- kinds

    def _sound(self) -> Sent:
        """A message as a client sends it, in any order."""
        method, params = self._random.choice(self._plausible())
        return self._call(method, params)

    def _bent(self) -> Sent:
        """The same with parts exchanged or missing."""
        method, params = self._random.choice(self._plausible())
        if self._often(0.2):
            method = self._random.choice(METHODS)
        for _ in range(self._random.randint(1, 3)):
            params = self._bend(params)
        return self._call(method, params)

    def _shapeless(self) -> Sent:
        """JSON that is no message of the protocol, or one with an id of the wrong kind."""
        message: Json = self._random.choice(
            (
                [],
                [{"jsonrpc": "2.0", "id": 1, "method": "dg/status"}],
                self._random.choice(_ODD),
                {"jsonrpc": "1.0"},
                {"id": self._random.choice((None, True, 1.5, [], {})), "method": "dg/status"},
                {"jsonrpc": "2.0", "method": self._random.choice((3, None, [], {}))},
                {"jsonrpc": "2.0", "id": 10**9, "result": self._random.choice(_ODD)},
                {"jsonrpc": "2.0", "id": "x", "error": self._random.choice(_ODD)},
                {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": self._random.choice(_ODD)}},
            )
        )
        return Sent(framed(json.dumps(message).encode()))

    def _broken_json(self) -> Sent:
        """A frame whose body is no JSON, or no UTF-8."""
        whole = self._sound().data.split(b"\r\n\r\n", 1)[1]
        cut = self._random.randrange(len(whole))
        body = self._random.choice((whole[:cut], whole[:cut] + b"\xff\xfe" + whole[cut:], b"[" * 50_000, b"\x00", b"NaN", b""))
        return Sent(framed(body))

    def _broken_frame(self) -> Sent:
        """Headers that make no sense; each ends, so that the next frame can be found."""
        heads = (
            b"Content-Length: 999999999999\r\n\r\n",
            b"Content-Length: -5\r\n\r\n",
            b"Content-Length: ten\r\n\r\n",
            b"content-length 10\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"X: y\r\n\r\n",
            b"\r\n\r\n\r\n",
            bytes(self._random.randrange(33, 127) for _ in range(self._random.randint(1, 200))).replace(b":", b"")
            + b"\r\n\r\n",
        )
        return Sent(self._random.choice(heads))

    # -- parts

    def _call(self, method: Any, params: Json) -> Sent:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if self._often(0.05):
            del message["params"]
        if self._often(0.4):
            return Sent(framed(json.dumps(message).encode()))
        self._next += 1
        message["id"] = self._next if self._often(0.7) else f"s{self._next}"
        return Sent(framed(json.dumps(message).encode()), message["id"])

    def _plausible(self) -> list[tuple[str, Json]]:
        document = {"uri": self._random.choice(URIS), "version": self._random.randint(0, 9)}
        at, end = self._position(), self._position()
        change = {"text": self._text()} | ({"range": {"start": at, "end": end}} if self._often(0.8) else {})
        context: dict[str, Json] = {"triggerKind": self._random.randint(0, 3)}
        if self._often(0.2):
            context["selectedCompletionInfo"] = {"range": {"start": end, "end": at}, "text": self._text()}
        item = {"command": {"arguments": [{"id": self._random.randint(0, 99), "chars": 3}]}}
        return [
            ("textDocument/didOpen", {"textDocument": document | {"languageId": "python", "text": self._text()}}),
            ("textDocument/didChange", {"textDocument": document, "contentChanges": [change] * self._random.randint(0, 3)}),
            ("textDocument/didChange", {"textDocument": document, "contentChanges": [change]}),
            ("textDocument/didClose", {"textDocument": document}),
            ("textDocument/inlineCompletion", {"textDocument": document, "position": at, "context": context}),
            ("textDocument/inlineCompletion", {"textDocument": document, "position": at, "context": context}),
            ("workspace/executeCommand", {"command": "dg.server.accepted", "arguments": [self._random.choice(_ODD)]}),
            ("workspace/didChangeConfiguration", {"settings": {"completion": {"maxLines": self._random.choice(_ODD)}}}),
            ("textDocument/didShowCompletion", {"item": item}),
            ("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": self._random.choice(_ODD)}),
            ("dg/status", {"textDocument": document}),
            ("$/cancelRequest", {"id": self._next - self._random.randint(0, 3)}),
        ]

    def _often(self, share: float) -> bool:
        return self._random.random() < share

    def _position(self) -> Json:
        return {
            "line": self._random.choice((0, 0, 1, 2, 7, 2**31 - 1)),
            "character": self._random.choice((0, 1, 2, 5, 2**31 - 1)),
        }

    def _text(self) -> str:
        return "".join(self._random.choices(_TEXT, k=self._random.randint(0, 12)))

    def _bend(self, value: Json) -> Json:
        """Somewhere inside, something else."""
        if isinstance(value, dict) and value and self._often(0.85):
            name = self._random.choice(list(value))
            if self._often(0.2):
                return {key: one for key, one in value.items() if key != name}
            return value | {name: self._bend(value[name])}
        if isinstance(value, list) and value and self._often(0.5):
            place = self._random.randrange(len(value))
            return [*value[:place], self._bend(value[place]), *value[place + 1 :]]
        return self._random.choice(_ODD)


def framed(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
