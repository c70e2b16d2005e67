"""An engine without a model: speaks the wire messages on a Unix socket, and answers by a script.

In a test it runs on a thread of its own (`with ScriptedEngine(path, script) as engine`); as a process it is
`python -m dg_bench.drive.scripted_engine --socket PATH --script FILE`. One job runs at a time, in the order in which jobs came.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from dg_bench.drive.script import Rule, Script
from dg_engine.errors import ProtocolError
from dg_engine.messages import (
    AnyMessage,
    Bye,
    Cancel,
    Cancelled,
    Candidate,
    Completion,
    Draft,
    Failed,
    FillJob,
    Hello,
    Message,
    Outcome,
    Release,
    Span,
    Stats,
    StatsReply,
    Status,
    Welcome,
)
from dg_engine.process import wire

WAIT = 10.0
"""Seconds that any single wait of a test may take."""


class ScriptedEngine:
    """A context manager: listens on entry, closes on exit. What it saw is in its lists; `wait_for` waits until they tell."""

    def __init__(self, path: Path, script: Script | None = None) -> None:
        self.path = path
        self.script = script or Script()
        self.jobs: list[FillJob] = []
        """Every job that came, in order."""
        self.ended: list[tuple[int, str]] = []
        """Job and how it ended: completed, cancelled, failed, dropped."""
        self.passes = 0
        self.passes_after_cancel = 0
        """Passes computed for jobs whose Cancel had been read."""
        self.outcomes: list[Outcome] = []
        self.released: list[str] = []
        self.connections = self.left = 0
        """Connections that came, and that went."""
        self.spent: dict[int, float] = {}
        """Seconds from when a job was read to when its end is written."""
        self._read_at: dict[int, float] = {}
        self._state = self.script.start
        self._queue: deque[tuple[FillJob, asyncio.StreamWriter]] = deque()
        self._cancelled: set[int] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._let_go = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_thread, name="scripted engine", daemon=True)
        self._listening = threading.Event()
        self._changed = threading.Condition()

    # -- for tests

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._listening.wait(WAIT):
            raise TimeoutError("The scripted engine does not listen.")
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._stop.set)
        self._thread.join(WAIT)

    def wait_for(self, condition: Callable[[Self], bool], what: str = "the engine") -> None:
        """Wait until `condition` holds; raises TimeoutError naming `what` when it does not in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self), WAIT):
                raise TimeoutError(f"Waited {WAIT} s for {what}.")

    def let_go(self, jobs: int = 1) -> None:
        """Let that many held jobs run."""
        self._call(self._release_held, jobs)

    def hold_all(self) -> None:
        """What was let go and did not come yet is held again."""
        self._call(self._hold_all)

    def finish_loading(self) -> None:
        """From now on the engine is ready."""
        self._call(self._become_ready)

    def drop_clients(self) -> None:
        """End every connection, as a crash does."""
        self._call(self._drop_clients)

    def say_goodbye(self) -> None:
        """Leave every client as an engine does that was idle."""
        self._call(self._say_goodbye)

    # -- life

    def _run_thread(self) -> None:
        asyncio.set_event_loop(self._loop)
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self.serve())
        self._loop.close()

    async def serve(self) -> None:
        """Listen until told to stop."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        server = await asyncio.start_unix_server(self._client, self.path)
        worker = asyncio.create_task(self._work())
        self._listening.set()
        await self._stop.wait()
        server.close()
        worker.cancel()
        self._drop_clients()
        leftovers = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.wait(leftovers, timeout=1)
        self.path.unlink(missing_ok=True)

    def _call(self, function: Callable[..., Any], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def _note(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _release_held(self, jobs: int) -> None:
        self._let_go += jobs
        self._wake.set()

    def _hold_all(self) -> None:
        self._let_go = 0

    def _become_ready(self) -> None:
        self._state = "ready"
        for writer in self._writers:
            _send(writer, self._welcome(), Status(state="ready"))
        self._wake.set()

    def _drop_clients(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    def _say_goodbye(self) -> None:
        for writer in list(self._writers):
            _send(writer, Bye(reason="idle", sentence="Nobody asked."))
            writer.close()

    # -- one client

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        self._note()
        try:
            while (message := await wire.read(reader)) is not None:
                self._take(message, writer)
                self._note()
        except (ProtocolError, OSError):
            pass
        finally:
            self._writers.discard(writer)
            self._queue = deque(entry for entry in self._queue if entry[1] is not writer)
            writer.close()
            self.left += 1
            self._note()

    def _take(self, message: AnyMessage, writer: asyncio.StreamWriter) -> None:
        match message:
            case Hello():
                self._greet(writer)
            case FillJob():
                self._read_at[message.id] = time.perf_counter()
                self.jobs.append(message)
                self._queue.append((message, writer))
                self._wake.set()
            case Cancel():
                self._cancelled.add(message.id)
                self._wake.set()
            case Outcome():
                self.outcomes.append(message)
            case Release():
                self.released.append(message.document)
            case Stats():
                counters = {"passes": self.passes, "passes_after_cancel": self.passes_after_cancel, "jobs": len(self.jobs)}
                _send(writer, StatsReply(counters={name: float(value) for name, value in counters.items()}))
            case _:
                pass

    def _greet(self, writer: asyncio.StreamWriter) -> None:
        _send(writer, self._welcome())
        if self._state == "refuse":
            _send(writer, Status(state="stopping", message=self.script.reason), Bye(reason="stop", sentence=self.script.reason))
            writer.close()
        elif self._state == "loading":
            _send(writer, Status(state="loading", progress=0.5, message="reading weights"))

    def _welcome(self) -> Welcome:
        if self._state != "ready":
            return Welcome(state="loading")
        return Welcome(state="ready", model="scripted", profile="scripted", device="cpu", languages=list(self.script.languages))

    # -- jobs

    async def _work(self) -> None:
        while True:
            await self._woken(lambda: bool(self._queue) and self._state == "ready")
            job, writer = self._queue.popleft()
            end, message = await self._run(job, self.script.rule(job), writer)
            self.spent[job.id] = time.perf_counter() - self._read_at.pop(job.id)  # who has the answer may look
            if message is None:
                writer.transport.abort()
            else:
                _send(writer, message)
            self.ended.append((job.id, end))  # who waits for this finds the answer on its way
            self._note()

    async def _run(self, job: FillJob, rule: Rule, writer: asyncio.StreamWriter) -> tuple[str, Message | None]:
        if rule.hold:
            await self._woken(lambda: self._let_go > 0 or job.id in self._cancelled)
            self._let_go -= job.id not in self._cancelled
        for number in range(1, rule.passes + 1):
            if job.id in self._cancelled:
                return "cancelled", Cancelled(id=job.id)
            await asyncio.sleep(rule.pass_ms / 1000)  # the pass itself: a cancel that comes now is read after it
            self.passes += 1
            self.passes_after_cancel += job.id in self._cancelled
            if job.drafts:
                _send(writer, Draft(id=job.id, text=rule.text, pass_=number, cap=rule.passes, confidence=_spans(rule)))
            self._note()
        return _end(job, rule, cancelled=job.id in self._cancelled)

    async def _woken(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._wake.clear()
            await self._wake.wait()


def _end(job: FillJob, rule: Rule, *, cancelled: bool) -> tuple[str, Message | None]:
    if cancelled:
        return "cancelled", Cancelled(id=job.id)
    if rule.drop:
        return "dropped", None
    if rule.fail is not None:
        return "failed", Failed(id=job.id, kind=rule.fail, sentence=rule.sentence)
    candidate = Candidate(text=rule.text, passes=rule.passes, stop="stable", confidence=_spans(rule))
    return "completed", Completion(id=job.id, candidates=[candidate])


def _spans(rule: Rule) -> list[Span]:
    return [Span(len(rule.text), rule.probability)]


def _send(writer: asyncio.StreamWriter, *messages: Message) -> None:
    if not writer.is_closing():
        writer.write(b"".join(map(wire.encode, messages)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until terminated."""
    parser = argparse.ArgumentParser(description="An engine without a model, for tests of what talks to one.")
    parser.add_argument("--socket", type=Path, required=True, help="the Unix socket to listen on")
    parser.add_argument("--script", type=Path, help="a JSON file: what it answers")
    options = parser.parse_args(arguments)
    script = Script.read(options.script) if options.script else Script()
    asyncio.run(ScriptedEngine(options.socket, script).serve())


if __name__ == "__main__":
    main()
