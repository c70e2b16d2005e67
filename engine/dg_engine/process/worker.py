"""The one thread that touches the model: loads it, then steps jobs, checking between steps what is most urgent now."""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from collections.abc import Callable, Generator, Hashable
from typing import Any, Protocol

import msgspec

from dg_engine.errors import EngineError, JobError
from dg_engine.messages import Cancelled, Completion, Failed, FillJob, Message
from dg_engine.process.counters import Counters
from dg_engine.schedule.queue import JobQueue
from dg_engine.schedule.ticket import Ticket

log = logging.getLogger(__name__)

_BROKEN = 70
"""Exit code after a fault of the device: fronts see a loss, and start another engine."""


class Fills(Protocol):
    """What the worker needs of a Filler; its import waits until the thread runs, since it brings torch."""

    slots: Any
    model: Any

    def fill(self, job: FillJob, *, owner: Hashable, received: float) -> Generator[Any, None, Completion]:
        """A generator of steps that returns the completion."""


class Worker(threading.Thread):
    """Runs jobs from `queue`; tells `emit` every message for a client, and `ready` or `failed` once, how loading ended."""

    def __init__(
        self,
        load: Callable[[], Fills],
        queue: JobQueue,
        emit: Callable[[Ticket, Message], None],
        *,
        ready: Callable[[Fills], None],
        failed: Callable[[str], None],
        die: Callable[[], None] = lambda: os._exit(_BROKEN),
    ) -> None:
        """`die` ends the process: after some faults of a device nothing works in it any more."""
        super().__init__(name="engine", daemon=True)
        self.queue, self.counters = queue, Counters()
        self._load, self._emit, self._ready, self._failed, self._die = load, emit, ready, failed, die
        self._jobs: dict[Ticket, FillJob] = {}
        self._running: dict[Ticket, Generator[Any, None, Completion]] = {}
        self._again: set[Ticket] = set()
        """Jobs that ran out of memory once and were begun anew."""
        self._filler: Fills | None = None

    def submit(self, ticket: Ticket, job: FillJob) -> Ticket | None:
        """Queue a job (any thread). If the same one is under way ahead of its request, that goes on as this one; returns what it was."""
        if ticket.urgency == "interactive":
            before = self.queue.adopt(ticket.client, ticket.document, lambda one: self._is_same(one, job), ticket)
            if before is not None:
                self.counters.add("jobs_adopted")
                return before
        self._jobs[ticket] = job
        self.queue.add(ticket)
        return None

    def _is_same(self, ahead: Ticket, job: FillJob) -> bool:
        """Called under the queue's lock. What runs ahead emits no drafts: a request that wants them is begun anew."""
        other = self._jobs.get(ahead)
        return other is not None and msgspec.structs.replace(other, id=job.id, speculative=False, guesses=job.guesses) == job

    def run(self) -> None:
        """Load, then work until the queue is closed."""
        try:
            self._filler = self._load()
        except EngineError as error:
            self._failed(str(error))
            return
        except ImportError as error:
            self._failed(f"The engine's packages are missing ({error.name}): install dg-lsp[engine].")
            return
        except Exception:
            log.exception("loading failed")
            self._failed("The model could not be loaded because of an internal error; the engine's log has the details.")
            return
        self._ready(self._filler)
        while (ticket := self.queue.next()) is not None:
            self._step(ticket)

    @property
    def waiting(self) -> list[Ticket]:
        """Those whose jobs are held: what waits or runs, and nothing else."""
        return list(self._jobs)

    def forget(self, ticket: Ticket) -> None:
        """Drop what belongs to a ticket that was taken out of the queue."""
        self._jobs.pop(ticket, None)

    def release(self, key: tuple[Hashable, str]) -> None:
        """Free a document's slot, between two steps."""
        self.queue.add_chore(lambda: self._filler.slots.release(key) if self._filler else None)

    def release_client(self, client: Hashable) -> None:
        """Free the slots of a client that has left, and forget its figures."""
        self.counters.forget(_queue_of(client))
        self.queue.add_chore(lambda: self._filler.slots.release_where(lambda key: key[0] == client) if self._filler else None)

    def _step(self, ticket: Ticket) -> None:
        """One pass or chunk of a job."""
        if ticket.cancelled:
            self._end(ticket, Cancelled(id=ticket.id), "cancelled")
            return
        try:
            result = next(self._generator(ticket))
        except StopIteration as end:
            self._finish(ticket, end.value)
        except JobError as error:
            self._end(ticket, Failed(id=ticket.id, kind=error.kind, sentence=str(error)), "failed")
        except Exception as error:
            if _device_is_broken(error):
                log.critical("the device failed; the engine ends", exc_info=error)
                self._die()
            if not self._tried_again(ticket, error):
                self._end(ticket, self._unexpected(ticket, error), "failed")
        else:
            self._report(ticket, result)

    def _generator(self, ticket: Ticket) -> Generator[Any, None, Completion]:
        if ticket not in self._running:
            assert self._filler is not None, "jobs are stepped after loading only"
            job = self._jobs[ticket]
            self._running[ticket] = self._filler.fill(job, owner=ticket.client, received=ticket.received)
        return self._running[ticket]

    def _report(self, ticket: Ticket, result: object) -> None:
        if not isinstance(result, list):
            self.counters.add("chunks")
            return
        self.counters.add("passes")
        for draft in result:
            if not ticket.cancelled:
                self._emit(ticket, draft)

    def _finish(self, ticket: Ticket, completion: Completion) -> None:
        if ticket.cancelled:
            self._end(ticket, Cancelled(id=ticket.id), "cancelled")
            return
        timings = completion.timings
        self.counters.observe("queue_ms", timings.queue)
        self.counters.observe(_queue_of(ticket.client), timings.queue)
        self.counters.observe("encode_ms", timings.encode)
        self.counters.observe("denoise_ms", timings.denoise)
        self.counters.observe("passes", max((one.passes for one in completion.candidates), default=0))
        self.counters.add("tokens_encoded", completion.encoded)
        self.counters.add("tokens_reused", completion.reused)
        self._end(ticket, completion, "completed")

    def _tried_again(self, ticket: Ticket, error: Exception) -> bool:
        """Out of memory: every other slot is dropped, and the job begins anew, once."""
        if not _out_of_memory(error) or ticket in self._again or self._filler is None:
            return False
        self._again.add(ticket)
        self._running.pop(ticket).close()
        self._filler.slots.clear()
        self.counters.add("out_of_memory")
        return True

    def _unexpected(self, ticket: Ticket, error: Exception) -> Failed:
        if _out_of_memory(error):
            return Failed(id=ticket.id, kind="out_of_memory", sentence="The engine ran out of memory for this completion.")
        log.error("job failed: %s", _described(error))
        sentence = "The completion failed because of an internal error; the engine's log has the details."
        return Failed(id=ticket.id, kind="unavailable", sentence=sentence)

    def _end(self, ticket: Ticket, message: Completion | Cancelled | Failed, outcome: str) -> None:
        if generator := self._running.pop(ticket, None):
            generator.close()
        self.queue.done(ticket)  # from here on nobody adopts it: its id is the one to answer
        self._jobs.pop(ticket, None)
        self._again.discard(ticket)
        self.counters.add(f"jobs_{outcome}")
        now = time.monotonic()
        if ticket.cancelled:
            self.counters.observe("cancel_to_idle_ms", (now - ticket.cancelled_at) * 1000)
        else:
            self.counters.observe("ms_to_answer", (now - ticket.received) * 1000)
        self._emit(ticket, msgspec.structs.replace(message, id=ticket.id))


def _queue_of(client: Hashable) -> str:
    """The name of the figures of one client's waiting."""
    return f"queue_ms_of_client_{client}"


def _described(error: BaseException) -> str:
    """Kind and places of an error, never its text: that may quote a document."""
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join([type(error).__name__, *(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))])


def _device_is_broken(error: Exception) -> bool:
    """A CUDA error other than out of memory stays for the process' whole life: another process has to go on."""
    named = type(error).__name__ == "AcceleratorError" or (isinstance(error, RuntimeError) and "CUDA error" in str(error))
    return named and not _out_of_memory(error)


def _out_of_memory(error: Exception) -> bool:
    """Python's own, or torch's (by name: the process that loads no torch must be able to ask)."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
