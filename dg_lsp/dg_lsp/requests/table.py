"""The pending requests, at most one a document, and the rule that ends them early."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dg_lsp.documents.edit import Edit
from dg_lsp.requests.typed import Typed


@dataclass(eq=False, slots=True)
class Pending:
    """A request that is being worked on; cancelling its task answers it -32800 and stops its job."""

    key: str
    typed: Typed
    task: asyncio.Task[Any] | None = None


class PendingRequests:
    """Holds the requests that wait for their answers.

    One ends early when its client cancels it (through its task), when a newer one comes for its document, or when that changes
    otherwise than by characters typed at its place.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self._pending: dict[str, Pending] = {}
        self._changed = changed

    def __len__(self) -> int:
        return len(self._pending)

    def __contains__(self, key: str) -> bool:
        return key in self._pending

    def supersede(self, key: str) -> None:
        """End the document's pending request, if there is one."""
        pending = self._pending.pop(key, None)
        if pending is not None and pending.task is not None:
            pending.task.cancel()
            self._changed()

    def add(self, pending: Pending) -> None:
        """Take in a request; the document's older one ends."""
        self.supersede(pending.key)
        self._pending[pending.key] = pending
        self._changed()

    def remove(self, pending: Pending) -> None:
        """The request has its answer."""
        if self._pending.get(pending.key) is pending:
            del self._pending[pending.key]
            self._changed()

    def edited(self, key: str, edits: Sequence[Edit]) -> None:
        """The document changed."""
        pending = self._pending.get(key)
        if pending is not None and not all(pending.typed.follow(edit) for edit in edits):
            self.supersede(key)
