"""Jobs that run ahead of the request that will ask for them: from the change on, while the editor still waits for a pause in typing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from dg_engine.messages import Completion, FillJob
from dg_lsp.documents.edit import Edit
from dg_lsp.documents.place import NOWHERE, Place
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
        task = asyncio.create_task(self._run(msgspec.structs.replace(job, speculative=True, drafts=False)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._ahead[key] = _Ahead(_compared(job), task)

    async def answer(self, key: str, job: FillJob, ask: Callable[[], Coroutine[Any, Any, Completion]]) -> Completion:
        """What the job that ran ahead has found, if it was this one; else what `ask` comes to. Raises NoCompletionError.

        While it still runs both are waited for: the engine gives it to the request, unless it has ended meanwhile. One for another
        place ends.
        """
        ahead = self._ahead.pop(key, None)
        if ahead is None or ahead.wanted != _compared(job):
            if ahead is not None:
                ahead.task.cancel()
            return await ask()
        if ahead.task.done():
            return ahead.task.result() or await ask()
        return await _first(ahead.task, ask)

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


async def _first(ahead: asyncio.Task[Completion | None], ask: Callable[[], Coroutine[Any, Any, Completion]]) -> Completion:
    """Whichever has a completion first; the other one ends."""
    asked = asyncio.create_task(ask())
    try:
        await asyncio.wait({ahead, asked}, return_when=asyncio.FIRST_COMPLETED)
        if ahead.done() and not ahead.cancelled() and (found := ahead.result()) is not None:
            return found
        return await asked
    finally:
        ahead.cancel()
        asked.cancel()


def typed_at(edits: Sequence[Edit]) -> Place | None:
    """Where the cursor stands after typing: behind one insertion of at most a line, or where so much was taken away. Else None."""
    if len(edits) != 1:
        return None
    (edit,) = edits
    if edit.at == NOWHERE or (edit.removed and edit.inserted):
        return None
    return edit.at.after(edit.inserted) if (edit.inserted + edit.removed).count("\n") <= 1 else None


def _compared(job: FillJob) -> FillJob:
    """What makes two jobs the same place in the same text; which guesses there were at either moment makes no difference."""
    return msgspec.structs.replace(job, id=0, speculative=False, drafts=False, guesses=[])
