"""Cutting a byte stream into JSON-RPC bodies, whatever the peer's headers look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FRAME_CAP: Final = 64 * 1024 * 1024
"""Bytes; a longer body is refused before anything is allocated for it."""

HEAD_CAP: Final = 8 * 1024
"""Bytes of a header block."""

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_HEADER: Final = re.compile(rb"[ \t]*([A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*\Z")
_NEXT_HEAD: Final = re.compile(rb"content-length[ \t]*:[ \t]*\d+[ \t]*\r?\n", re.IGNORECASE)
_LONGEST_NEXT_HEAD: Final = 64


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Bytes that are no frame; `sentence` says what is wrong with them."""

    sentence: str


class FrameDecoder:
    """Feed it bytes as they come, get bodies. After a header that makes no sense it looks for the next one that does."""

    def __init__(self, cap: int = FRAME_CAP) -> None:
        self._cap = cap
        self._buffer = bytearray()
        self._wanted: int | None = None
        self._lost = False

    def feed(self, data: bytes) -> Iterator[bytes | Unreadable]:
        """The bodies and faults that `data` completes."""
        self._buffer += data
        while True:
            event = self._find_head() if self._lost else self._head() if self._wanted is None else self._body()
            if event is None:
                return
            if not isinstance(event, bool):
                yield event

    def _body(self) -> bytes | None:
        if self._wanted is None or len(self._buffer) < self._wanted:
            return None
        body = bytes(memoryview(self._buffer)[: self._wanted])
        del self._buffer[: self._wanted]
        self._wanted = None
        return body

    def _head(self) -> Unreadable | bool | None:
        while self._buffer.startswith((b"\r", b"\n")):  # blank lines between frames
            del self._buffer[:1]
        match = _HEAD_END.search(self._buffer, 0, HEAD_CAP)
        if match is None:
            return self._lose("A header block does not end.") if len(self._buffer) > HEAD_CAP else None
        head = bytes(self._buffer[: match.start()])
        length = content_length(head)
        del self._buffer[: match.end()]
        if length is None:
            return self._lose("A header block that is none of ours.")
        if length > self._cap:
            return self._lose(f"A message of {length} bytes is over the cap of {self._cap}.")
        self._wanted = length
        return True

    def _lose(self, sentence: str) -> Unreadable:
        self._lost = True
        return Unreadable(sentence)

    def _find_head(self) -> bool | None:
        """Skip to what looks like a header: in a JSON body line breaks are escaped, so that it cannot be mistaken."""
        match = _NEXT_HEAD.search(self._buffer)
        if match is None:
            del self._buffer[: max(0, len(self._buffer) - _LONGEST_NEXT_HEAD)]
            return None
        del self._buffer[: match.start()]
        self._lost = False
        return True


def content_length(head: bytes) -> int | None:
    """The length that a header block announces, in any case and spacing; None when a line of it is no header of ours."""
    length = None
    for line in head.splitlines():
        match = _HEADER.match(line)
        name = match.group(1).lower() if match else b""
        if match and name == b"content-length" and match.group(2).isdigit() and len(match.group(2)) <= len(str(1 << 64)):
            length = int(match.group(2))
        elif name != b"content-type":
            return None
    return length


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body
