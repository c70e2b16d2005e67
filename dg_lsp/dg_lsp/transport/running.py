"""The requests that have no answer yet: each gets exactly one, and the log says how long it took."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any

from dg_lsp.transport.jsonrpc import MessageId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Running:
    method: str
    started: float
    task: asyncio.Future[Any]


class RunningRequests:
    """By id; an id of 1 and one of "1" are two."""

    def __init__(self) -> None:
        self._running: dict[tuple[type, MessageId], _Running] = {}

    def __len__(self) -> int:
        return len(self._running)

    def __contains__(self, message_id: MessageId) -> bool:
        return (type(message_id), message_id) in self._running

    @property
    def tasks(self) -> list[asyncio.Future[Any]]:
        """What is being worked on."""
        return [one.task for one in self._running.values()]

    def add(self, message_id: MessageId, method: str, started: float, task: asyncio.Future[Any]) -> None:
        """Take in a request that was read at `started` (time.monotonic() seconds)."""
        self._running[type(message_id), message_id] = _Running(method, started, task)

    def finish(self, message_id: MessageId) -> None:
        """It has its answer now, or -32800."""
        one = self._running.pop((type(message_id), message_id))
        told(one.method, one.started, "cancelled" if one.task.cancelled() else "answered")

    def cancel(self, message_id: MessageId) -> None:
        """End one that is running; others are passed over."""
        if (one := self._running.get((type(message_id), message_id))) is not None:
            one.task.cancel()

    def cancel_all(self) -> None:
        """End all of them."""
        for task in self.tasks:
            task.cancel()


def told(method: str, started: float, end: str) -> None:
    """One line in the log."""
    log.info("%s %s after %.1f ms", method, end, (time.monotonic() - started) * 1000)
