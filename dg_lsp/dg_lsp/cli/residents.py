"""The engines that run: what `dg-lsp engine` shows and ends."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from dg_engine.errors import EngineError
from dg_engine.messages import Bye, Stats, StatsReply, Welcome
from dg_engine.process.places import sockets
from dg_lsp.cli.engine_session import EngineSession
from dg_lsp.cli.failure import CommandError

_WAIT = 5.0
_FACTS = frozenset({"pid", "clients", "queue", "memory_bytes", "uptime_s"})


class Resident(msgspec.Struct, frozen=True, kw_only=True):
    """One engine."""

    identity: str
    state: str
    model: str
    device: str
    pid: int
    clients: int
    queue: int
    memory_bytes: int
    uptime_s: float
    counters: dict[str, float] = {}
    histograms: dict[str, list[float]] = {}
    """The last observations by name."""

    @property
    def sentence(self) -> str:
        """For people."""
        minutes, memory = self.uptime_s / 60, self.memory_bytes / 2**20
        what = f"{self.model or 'model not loaded yet'} on {self.device or 'no device yet'}"
        return f"{self.identity}  {self.state}, {what}, process {self.pid}, {self.clients} attached, {memory:.0f} MB, {minutes:.0f} min"


def residents() -> list[Resident]:
    """All that answer. Raises CommandError."""
    return [found for path in _sockets() if (found := _ask(path)) is not None]


def stop_all() -> list[str]:
    """Ask each to leave; returns their identities once they are gone. Raises CommandError."""
    return [path.stem for path in _sockets() if _stop(path)]


def _sockets() -> list[Path]:
    try:
        return sockets()
    except EngineError as error:
        raise CommandError(str(error)) from None


def _ask(path: Path) -> Resident | None:
    """None when nobody listens there any more."""
    with suppress(OSError, EOFError, EngineError):
        session = EngineSession.attach(path)
        try:
            session.hello()
            welcome = session.until(Welcome, _WAIT)
            session.send(Stats())
            reply = session.until(StatsReply, _WAIT)
        finally:
            session.end()
        counters: dict[str, Any] = reply.counters
        return Resident(
            identity=path.stem,
            state=welcome.state,
            model=welcome.model,
            device=welcome.device,
            pid=int(counters["pid"]),
            clients=int(counters["clients"]) - 1,  # we are one
            queue=int(counters["queue"]),
            memory_bytes=int(counters["memory_bytes"]),
            uptime_s=float(counters["uptime_s"]),
            counters={name: value for name, value in reply.counters.items() if name not in _FACTS},
            histograms=reply.histograms,
        )
    return None


def _stop(path: Path) -> bool:
    with suppress(OSError, EngineError):
        session = EngineSession.attach(path)
        try:
            session.hello()
            session.until(Welcome, _WAIT)
            session.send(Bye(reason="stop"))
            while True:
                session.read(_WAIT)
        except EOFError:
            return True
        finally:
            session.end()
    return False
