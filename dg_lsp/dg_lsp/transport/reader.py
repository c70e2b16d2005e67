"""The thread that reads from the client: it blocks so that the loop need not, and as a daemon no exit waits for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dg_lsp.transport import jsonrpc
from dg_lsp.transport.framing import FrameDecoder, Unreadable
from dg_lsp.transport.jsonrpc import Call, Reply, RequestError

_READ_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class EndOfStream:
    """The client closed its end, or the descriptor broke."""


Event = Call | Reply | RequestError | EndOfStream


class Reader:
    """Reads messages from a descriptor and hands each to `deliver`, in order, from its own thread."""

    def __init__(self, descriptor: int, deliver: Callable[[Event], None]) -> None:
        self._descriptor = descriptor
        self._deliver = deliver
        self._thread = threading.Thread(target=self._run, name="dg-lsp reader", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def _run(self) -> None:
        try:
            self._read_all()
            self._deliver(EndOfStream())
        except RuntimeError:  # the loop that `deliver` posts to has ended first
            return

    def _read_all(self) -> None:
        decoder = FrameDecoder()
        while data := self._read():
            for body in decoder.feed(data):
                self._deliver(_event(body))

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except OSError:
            return b""


def _event(body: bytes | Unreadable) -> Event:
    if isinstance(body, Unreadable):
        return RequestError(jsonrpc.PARSE_ERROR, body.sentence)
    try:
        return jsonrpc.read(body)
    except RequestError as error:
        return error
