"""The engine's socket side: accepts fronts, reads their messages, sends what the worker has for them. Imports no torch."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import itertools
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dg_engine.errors import ProtocolError
from dg_engine.messages import (
    PROTOCOL,
    AnyMessage,
    Bye,
    Cancel,
    Cancelled,
    Failed,
    FillJob,
    Hello,
    Message,
    Outcome,
    Release,
    RewriteJob,
    Stats,
    StatsReply,
    Status,
    Welcome,
)
from dg_engine.process import wire
from dg_engine.process.listen import on_port, on_socket
from dg_engine.process.memory import resident_bytes
from dg_engine.process.outcomes import Outcomes
from dg_engine.process.peer import is_ours
from dg_engine.process.residence import LOOK_SECONDS, Residence
from dg_engine.process.version import __version__, is_newer
from dg_engine.process.worker import Fills, Worker
from dg_engine.schedule.queue import JobQueue
from dg_engine.schedule.ticket import Ticket, Urgency

log = logging.getLogger(__name__)

DRAIN_SECONDS = 2.0
"""How long jobs may go on once the engine was told to end."""
_DRAIN_LOOK_SECONDS = 0.02
FLUSH_SECONDS = 1.0
"""How long a client may take to read what is left for it."""
HELLO_SECONDS = 10
"""How long a new client may take to say Hello."""


class Connection:
    """One front."""

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self._writer = writer

    def send(self, message: Message) -> None:
        """Write a message, unless the front is gone."""
        if not self._writer.is_closing():
            self._writer.write(wire.encode(message))

    async def close(self) -> None:
        """Flush and close; a front that reads nothing must not hold up the others, or the engine's end."""
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._writer.drain()
                self._writer.close()
                await self._writer.wait_closed()
        except TimeoutError:
            log.warning("client %d reads nothing; it is let go", self.number)
            self._writer.transport.abort()
        except OSError:
            self._writer.close()


class EngineServer:
    """Owns the worker and the connections; `run_*` serve until the engine should leave, and return its exit code."""

    def __init__(
        self, load: Callable[[Callable[[float, str], None]], Fills], identity: str = "", token: str | None = None
    ) -> None:
        """`load` gets a progress function (share done, what is done now) and runs on the worker's thread.

        With a `token` every client must say it; else it must run as the same user, where the socket tells.
        """
        self._identity, self._token = identity, token
        self._residence: Residence | None = None
        self._stop_listening: Callable[[], None] | None = None
        self._started = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self._connections: dict[int, Connection] = {}
        self._numbers = itertools.count(1)
        self._left: asyncio.Future[int] = self._loop.create_future()
        self._status = Status(state="loading", progress=0.0, message="starting")
        self._facts: dict[str, Any] = {}
        self._worker = Worker(
            lambda: load(self._progress),
            JobQueue(),
            lambda ticket, message: self._call(self._send, ticket, message),
            ready=lambda filler: self._call(self._on_ready, filler),
            failed=lambda sentence: self._call(self._on_failed, sentence),
        )

        self._outcomes = Outcomes(self._worker.counters)

    async def run_stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        """Serve the one client of an inherited socket; leave when it does."""
        self._worker.start()
        client = asyncio.create_task(self._serve_client(reader, writer))
        client.add_done_callback(lambda _: self.leave(0))
        code = await self._left
        await self._see_off()
        return code

    async def run_socket(self, path: Path, idle_seconds: float, *, stays_while_attached: bool, port: bool = False) -> int:
        """Listen at a path until told to leave, or until nobody needs it; with `port` on a loopback port that a file there names.

        Whoever calls holds the lock. Raises EngineError.
        """
        if port:
            server, self._token = await on_port(path, self._serve_client)
        else:
            server = await on_socket(path, self._serve_client)
        residence = self._residence = Residence(
            path, idle_seconds, stays_while_attached, self._is_busy, lambda: bool(self._connections)
        )
        residence.settle()
        self._worker.start()
        watch = asyncio.create_task(self._watch(residence))

        def stop_listening() -> None:
            watch.cancel()
            server.close()
            residence.clear()

        self._stop_listening = stop_listening
        try:
            code = await self._left
        finally:
            stop_listening()
        await self._see_off()
        return code

    async def drain(self) -> None:
        """Take no more jobs, finish those that are there, as far as two seconds go, and leave."""
        if self._stop_listening is not None:  # who comes now finds no engine here, and starts one
            self._stop_listening()
        bye = Bye(reason="stop", sentence="The engine was told to end.")
        self._status = Status(state="stopping", message=bye.sentence)
        end = time.monotonic() + DRAIN_SECONDS
        while len(self._worker.queue) and time.monotonic() < end:  # noqa: ASYNC110 - the queue is the worker thread's
            await asyncio.sleep(_DRAIN_LOOK_SECONDS)
        self.leave(0, bye)

    def leave(self, code: int, bye: Bye | None = None) -> None:
        """Let `run_*` return; clients are told why."""
        if self._left.done():
            return
        if bye is not None:
            for connection in self._connections.values():
                connection.send(bye)
        self._left.set_result(code)

    def _is_busy(self) -> bool:
        return self._status.state == "loading" or len(self._worker.queue) > 0

    async def _watch(self, residence: Residence) -> None:
        while (bye := residence.reason_to_leave(time.monotonic())) is None:  # noqa: ASYNC110 - the file system sends no event
            await asyncio.sleep(LOOK_SECONDS)
        log.info("leaving: %s", bye.sentence)
        self.leave(0, bye)

    async def _see_off(self) -> None:
        """Flush and close every connection; nothing is computed any more."""
        self._worker.queue.close()
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(next(self._numbers), writer)
        if self._token is None and not is_ours(writer.get_extra_info("socket")):
            log.warning("client %d runs as another user and is not served", connection.number)
            await connection.close()
            return
        try:
            hello = await asyncio.wait_for(wire.read(reader), HELLO_SECONDS)
            if not self._greet(connection, hello):
                return
            while (message := await wire.read(reader)) is not None:
                self._handle(connection, message)
        except ConnectionError as error:
            log.info("client %d: %s", connection.number, error)
        except (ProtocolError, TimeoutError) as error:
            log.warning("client %d: %s", connection.number, error)
        finally:
            self._connections.pop(connection.number, None)
            for ticket in self._worker.queue.cancel_client(connection.number):
                self._worker.forget(ticket)
            self._worker.release_client(connection.number)
            await connection.close()

    def _greet(self, connection: Connection, hello: AnyMessage | None) -> bool:
        if not isinstance(hello, Hello):
            return False
        if hello.protocol != PROTOCOL:
            sentence = f"This engine speaks protocol {PROTOCOL}, the client {hello.protocol}."
            connection.send(Bye(reason="upgrade", sentence=sentence))
            return False
        if self._token is not None and not hmac.compare_digest(self._token.encode(), (hello.token or "").encode()):
            connection.send(Bye(reason="stop", sentence="The engine's token is another one than the client's."))
            return False
        if self._residence is not None and is_newer(hello.client.version, __version__):
            self._residence.outdated = True
        self._connections[connection.number] = connection
        log.info("client %d: %s %s, process %s", connection.number, hello.client.name, hello.client.version, hello.client.pid)
        connection.send(Welcome(state=self._status.state, identity=self._identity, **self._facts))
        connection.send(self._status)
        return True

    def _handle(self, connection: Connection, message: AnyMessage) -> None:
        match message:
            case FillJob():
                self._submit(connection, message)
            case RewriteJob():
                sentence = "This engine cannot rewrite yet."
                connection.send(Failed(id=message.id, kind="unsupported", sentence=sentence))
            case Cancel():
                if ticket := self._worker.queue.cancel(connection.number, message.id):
                    self._worker.forget(ticket)
                    connection.send(Cancelled(id=message.id))
            case Release():
                self._worker.release((connection.number, message.document))
            case Stats():
                connection.send(self._stats())
            case Outcome():
                self._outcomes.note(connection.number, message)
            case Bye():
                self.leave(0, Bye(reason="stop", sentence="The engine was asked to stop."))
            case _:
                log.debug("client %d sent %s", connection.number, type(message).__name__)

    def _stats(self) -> StatsReply:
        """The worker's counters, and what only the server knows."""
        counters, histograms = self._worker.counters.snapshot()
        counters |= {
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started, 1),
            "clients": len(self._connections),
            "queue": len(self._worker.queue),
            "memory_bytes": resident_bytes(),
        }
        return StatsReply(counters=counters, histograms=histograms)

    def _submit(self, connection: Connection, job: FillJob) -> None:
        if self._status.state == "stopping":
            connection.send(Failed(id=job.id, kind="unavailable", sentence=self._status.message))
            return
        if self._residence is not None:
            self._residence.last_job = time.monotonic()
        urgency: Urgency = "speculative" if job.speculative else "interactive"
        before = self._worker.submit(Ticket(connection.number, job.id, job.document, urgency, time.monotonic()), job)
        if before is not None:
            connection.send(Cancelled(id=before.id))

    def _send(self, ticket: Ticket, message: Message) -> None:
        if (connection := self._connections.get(ticket.client)) is not None:  # type: ignore[call-overload]
            connection.send(message)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        """Run on the loop, from the worker's thread; the loop may be gone already."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def _progress(self, share: float, doing: str) -> None:
        self._call(self._broadcast, Status(state="loading", progress=share, message=doing))

    def _broadcast(self, status: Status) -> None:
        self._status = status
        for connection in self._connections.values():
            connection.send(status)

    def _on_ready(self, filler: Fills) -> None:
        model = filler.model
        self._facts = {
            "model": str(model.folder.path),
            "profile": model.profile.name,
            "device": str(model.backbone.device),
            "dtype": str(model.backbone.dtype).removeprefix("torch."),
            "backbone": model.backbone.name,
            "languages": list(model.profile.languages),
        }
        log.info("ready after %.1f s: %s on %s", time.monotonic() - self._started, model.folder.path, model.backbone.device)
        for connection in self._connections.values():
            connection.send(Welcome(state="ready", identity=self._identity, **self._facts))
        self._broadcast(Status(state="ready", memory=resident_bytes()))

    def _on_failed(self, sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")  # whoever started it by hand, or reads what it printed
        self._broadcast(Status(state="stopping", message=sentence))
        for ticket in self._worker.queue.drain():
            self._send(ticket, Failed(id=ticket.id, kind="unavailable", sentence=sentence))
        for connection in self._connections.values():
            connection.send(Bye(reason="stop", sentence=sentence))
        self._loop.call_later(0.2, self.leave, 1)  # a client that connects just now is told as well
