"""One connection to an engine: jobs out, their ends back."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import subprocess
from collections.abc import Callable
from typing import Final

import msgspec

from dg_engine.errors import ProtocolError
from dg_engine.messages import Cancel, Cancelled, Completion, Draft, Failed, FillJob, Message
from dg_engine.process import wire
from dg_engine.process.peer import process_of
from dg_lsp.engine_client.errors import JobFailedError, LostError, NoCompletionError, UnavailableError
from dg_lsp.engine_client.launch import Link

log = logging.getLogger(__name__)

BUFFER_CAP: Final = 16 * 1024 * 1024
"""Unread bytes above which the engine counts as lost."""
FILL_SECONDS: Final = 60.0
"""How long an engine that is ready may take for a job: longer, and something in it is stuck."""
_KILL_POLLS: Final = 30
_REAP_SECONDS: Final = 0.3
_KILL_POLL_SECONDS: Final = 0.01

OnDraft = Callable[[Draft], None]
_job_ids = itertools.count(1)


class Connection:
    """Jobs by id. `other` gets what belongs to no job (Welcome, Status, Bye)."""

    def __init__(self, link: Link, other: Callable[[Message], None]) -> None:
        self._link = link
        self._other = other
        self._jobs: dict[int, asyncio.Future[Completion]] = {}
        self._drafts: dict[int, OnDraft] = {}
        self._closed = False
        self.ended = asyncio.Event()
        """The engine has closed its end."""

    @property
    def process(self) -> int | None:
        """The engine's process; None where the system does not say."""
        if self._link.process is not None:
            return self._link.process.pid
        connection = self._link.writer.get_extra_info("socket")
        return None if connection is None else process_of(connection)

    async def run(self) -> None:
        """Read until the engine closes; then every job that still waits ends with LostError."""
        try:
            while (message := await wire.read(self._link.reader)) is not None:
                self._take(message)
        except (ProtocolError, OSError) as error:
            log.warning("The engine's connection broke: %s", error)
        finally:
            self.ended.set()
            self._end_jobs()

    async def fill(self, job: FillJob, on_draft: OnDraft | None = None) -> Completion:
        """The completion of a job, whose id is given here. A cancelled caller cancels the job. Raises NoCompletionError."""
        job = msgspec.structs.replace(job, id=next(_job_ids))
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._jobs[job.id] = future
        if on_draft is not None:
            self._drafts[job.id] = on_draft
        try:
            self.send(job)
            async with asyncio.timeout(FILL_SECONDS):
                return await future
        except TimeoutError:
            self._link.writer.transport.abort()  # it may be stuck for good: the next one is told from it by its Welcome
            raise JobFailedError(f"The engine did not answer within {FILL_SECONDS:.0f} seconds.") from None
        except asyncio.CancelledError:
            self._give_up(job.id)
            raise
        finally:
            self._jobs.pop(job.id, None)
            self._drafts.pop(job.id, None)

    def _give_up(self, job: int) -> None:
        if job in self._jobs and not self._closed:
            with contextlib.suppress(NoCompletionError):
                self.send(Cancel(id=job))

    def send(self, message: Message) -> None:
        """Write a message. Raises LostError when the engine is gone or reads nothing any more, JobFailedError."""
        transport = self._link.writer.transport
        if self._closed or transport.is_closing():
            raise LostError("The engine has ended.")
        if transport.get_write_buffer_size() > BUFFER_CAP:
            transport.abort()
            raise LostError("The engine reads nothing any more.")
        try:
            data = wire.encode(message)
        except (ProtocolError, OverflowError, UnicodeEncodeError) as error:
            raise JobFailedError("This cannot be put into a message for the engine.") from error
        self._link.writer.write(data)

    async def close(self) -> None:
        """Close the socket and see our private engine off, within half a second."""
        self._end_jobs()
        self._link.writer.close()
        process = self._link.process
        if process is None:
            return
        process.terminate()
        try:
            for _ in range(_KILL_POLLS):
                if process.poll() is not None:
                    return
                await asyncio.sleep(_KILL_POLL_SECONDS)
        finally:  # also when whoever waits for this is cancelled
            if process.poll() is None:
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # one that hangs in the kernel must not hold us up
            await asyncio.to_thread(process.wait, _REAP_SECONDS)

    def _take(self, message: Message) -> None:
        match message:
            case Draft(id=job) if job in self._drafts:
                self._drafts[job](message)
            case Completion(id=job):
                self._settle(job, message)
            case Cancelled(id=job):
                self._settle(job, UnavailableError("The engine gave the job up."))
            case Failed(id=job, kind="unavailable", sentence=sentence):
                self._settle(job, UnavailableError(sentence))
            case Failed(id=job, sentence=sentence):
                self._settle(job, JobFailedError(sentence))
            case Draft():
                pass
            case _:
                self._other(message)

    def _settle(self, job: int, end: Completion | NoCompletionError) -> None:
        future = self._jobs.pop(job, None)
        if future is None or future.done():
            return
        if isinstance(end, NoCompletionError):
            future.set_exception(end)
        else:
            future.set_result(end)

    def _end_jobs(self) -> None:
        self._closed = True
        for job in list(self._jobs):
            self._settle(job, LostError("The engine ended while it worked on this."))
        with contextlib.suppress(RuntimeError):  # the loop may be closing
            self._link.writer.close()
