"""The thread that writes to the client, behind a bounded queue: a client that stops reading never blocks the loop."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from dg_lsp.transport.framing import frame

log = logging.getLogger(__name__)

SOFT_CAP: Final = 4 * 1024 * 1024
"""Waiting bytes above which what may be dropped is dropped."""

HARD_CAP: Final = 64 * 1024 * 1024
"""Waiting bytes above which the client counts as gone."""


class Writer:
    """Sends bodies in order. `gone` is called once, from any thread, when the client cannot be written to any more."""

    def __init__(self, descriptor: int, gone: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._gone = gone
        self._queue: deque[tuple[bytes, bool]] = deque()
        self._waiting = 0
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="dg-lsp writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, body: bytes, *, droppable: bool = False) -> None:
        """Queue a body. A droppable one (status, drafts, progress) goes first when the client does not keep up."""
        data = frame(body)
        with self._changed:
            if self._closed:
                return
            self._queue.append((data, droppable))
            self._waiting += len(data)
            if self._waiting > SOFT_CAP:
                self._drop()
            if self._waiting > HARD_CAP:
                self._fail("The client reads nothing any more.")
            self._changed.notify_all()

    def close(self, timeout: float) -> None:
        """Take no more, and wait up to `timeout` seconds until what is queued has been written."""
        end = time.monotonic() + timeout
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            while self._waiting and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)

    def _drop(self) -> None:
        kept = [entry for entry in self._queue if not entry[1]]
        self._waiting -= sum(len(data) for data, droppable in self._queue if droppable)
        self._queue = deque(kept)

    def _fail(self, sentence: str) -> None:
        log.warning("%s", sentence)
        self._closed = True
        self._queue.clear()
        self._waiting = 0
        self._changed.notify_all()
        self._gone()

    def _run(self) -> None:
        while (data := self._next()) is not None:
            try:
                _write_all(self._descriptor, data)
            except OSError:
                with self._changed:
                    self._fail("The client closed its end.")
                return
            with self._changed:
                self._waiting = max(0, self._waiting - len(data))
                self._changed.notify_all()

    def _next(self) -> bytes | None:
        with self._changed:
            while not self._queue:
                if self._closed:
                    return None
                self._changed.wait()
            return self._queue.popleft()[0]


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
