"""One engine at a time, whatever comes while one is let go of and the next begun."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from dg_engine.messages import (
    Bye,
    Candidate,
    Completion,
    EngineState,
    FillJob,
    Message,
    Welcome,
)
from dg_engine.process import wire
from dg_lsp.engine_client.client import EngineClient
from dg_lsp.engine_client.errors import UnavailableError
from dg_lsp.engine_client.launch import Link
from dg_lsp.settings.model import EngineSettings

WAIT = 10.0


@dataclass
class Engines:
    """Engines on socket pairs. Each greets as `state` says, answers every job with its own number, and leaves when told to and let."""

    state: EngineState = "ready"
    started: int = 0
    alive: set[int] = field(default_factory=set)
    told: list[str] = field(default_factory=list)
    may_leave: asyncio.Event = field(default_factory=asyncio.Event)
    _talks: set[asyncio.Task[None]] = field(default_factory=set)

    async def launch(self, _settings: EngineSettings) -> Link:
        """The front's end of a new one."""
        ours, theirs = socket.socketpair()
        self.started += 1
        self.alive.add(self.started)
        reader, writer = await asyncio.open_unix_connection(sock=theirs)
        self._talks.add(asyncio.create_task(self._talk(self.started, reader, writer)))
        return Link(*await asyncio.open_unix_connection(sock=ours))

    async def _talk(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(message: Message) -> None:
            writer.write(wire.encode(message))

        try:
            say(Welcome(state=self.state))
            while (message := await wire.read(reader)) is not None:
                match message:
                    case FillJob(id=job):
                        say(Completion(id=job, candidates=[Candidate(text=str(number), passes=1, stop="stable")]))
                    case Bye():
                        self.told.append("bye")
                        await self.may_leave.wait()
                        say(Bye(reason="stop"))
                        return
                    case _:
                        pass
        finally:
            self.alive.discard(number)
            writer.close()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(WAIT):
        while not holds():  # noqa: ASYNC110 - what is looked at has no event
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("restarts", [1, 3])
async def test_requests_that_wait_through_a_restart_start_no_engine_of_their_own(restarts: int) -> None:
    """They wait for a model that loads when the command comes; afterwards one engine serves them all, and one only is connected."""
    engines = Engines(state="loading")
    client = EngineClient(lambda: None, engines.launch)
    waiting = [
        asyncio.create_task(client.fill(FillJob(id=0, document="file:///a.py", prefix="x", suffix=""))) for _ in range(8)
    ]
    await until(lambda: client.facts.welcome is not None)
    engines.state = "ready"
    for _ in range(restarts):
        client.restart()
    engines.may_leave.set()
    answers = await asyncio.wait_for(asyncio.gather(*waiting), WAIT)
    assert {answer.candidates[0].text for answer in answers} == {"2"}
    assert (engines.started, engines.alive) == (2, {2})
    await client.close()
    await until(lambda: not engines.alive)


async def test_a_restart_asked_for_twice_is_not_left_over() -> None:
    """New settings later let go of the engine; they do not end it for the others."""
    engines = Engines()
    client = EngineClient(lambda: None, engines.launch)
    await asyncio.wait_for(client.ready(), WAIT)
    client.restart()
    await until(lambda: engines.told == ["bye"])
    client.restart()
    engines.may_leave.set()
    await asyncio.wait_for(client.ready(), WAIT)
    client.configure(EngineSettings(threads=1))
    await until(lambda: engines.started == 3)
    await asyncio.wait_for(client.ready(), WAIT)
    assert engines.told == ["bye"]
    await client.close()


async def test_what_waits_when_the_server_closes_starts_no_engine() -> None:
    """It hears that the server closes."""
    engines = Engines(state="loading")
    client = EngineClient(lambda: None, engines.launch)
    waiting = asyncio.create_task(client.ready())
    await until(lambda: client.facts.welcome is not None)
    await client.close()
    with pytest.raises(UnavailableError, match="closing"):
        await asyncio.wait_for(waiting, WAIT)
    client.start()
    await until(lambda: not engines.alive)
    assert engines.started == 1
