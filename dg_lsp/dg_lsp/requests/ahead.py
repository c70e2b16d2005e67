"""Jobs that run ahead of the request that will ask for them: from the change on, while the editor still waits for a pause in typing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from dg_engine.messages import Completion, FillJob
from dg_lsp.documents.edit import Edit
from dg_lsp.documents.place import Place
from dg_lsp.engine_client.errors import NoCompletionError

Fill = Callable[[FillJob], Coroutine[Any, Any, Completion]]

CHANGES: int = 10
"""So many changes after its last request a client counts as one that does not ask."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    wanted: FillJob
    task: asyncio.Task[Completion | None]


class AheadOfRequests:
    """At most one job a document."""

    def __init__(self, fill: Fill) -> None:
        self._fill = fill
        self._ahead: dict[str, _Ahead] = {}
        self._changes: dict[str, int] = {}
        self._tasks: set[asyncio.Task[Completion | None]] = set()
        """Those that run: the loop itself does not keep them alive."""

    def asked(self, key: str) -> None:
        """The client asks in this document."""
        self._changes[key] = 0

    def changed(self, key: str) -> bool:
        """Note a change; what ran ahead of it ends. True while the client can be expected to ask."""
        self.drop(key)
        self._changes[key] = self._changes.get(key, CHANGES) + 1
        return self._changes[key] <= CHANGES

    def begin(self, key: str, job: FillJob) -> None:
        """Start a job; nobody waits for it."""
        self.drop(key)
        running = self._run(msgspec.structs.replace(job, speculative=True, drafts=False))
        task = asyncio.create_task(running)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._ahead[key] = _Ahead(_compared(job), task)

    def take(self, key: str, job: FillJob) -> Completion | None:
        """What the job that ran ahead has found, if it was this one and has ended.

        One that still runs is left to the engine, which gives it to the request when that comes; one for another place ends.
        """
        ahead = self._ahead.pop(key, None)
        if ahead is None:
            return None
        if ahead.wanted != _compared(job):
            ahead.task.cancel()
            return None
        return ahead.task.result() if ahead.task.done() and not ahead.task.cancelled() else None

    def drop(self, key: str) -> None:
        """The document has changed."""
        if (ahead := self._ahead.pop(key, None)) is not None:
            ahead.task.cancel()

    def forget(self, key: str) -> None:
        """The document was closed."""
        self.drop(key)
        self._changes.pop(key, None)

    async def _run(self, job: FillJob) -> Completion | None:
        try:
            return await self._fill(job)
        except NoCompletionError:  # also: the engine gave it to the request
            return None


def typed_at(edits: Sequence[Edit]) -> Place | None:
    """Where the cursor stands after typing: behind one insertion of at most a line, or where so much was taken away. Else None."""
    if len(edits) != 1:
        return None
    (edit,) = edits
    if edit.removed and edit.inserted:
        return None
    return edit.at.after(edit.inserted) if (edit.inserted + edit.removed).count("\n") <= 1 else None


def _compared(job: FillJob) -> FillJob:
    """What makes two jobs the same place in the same text."""
    return msgspec.structs.replace(job, id=0, speculative=False, drafts=False)
