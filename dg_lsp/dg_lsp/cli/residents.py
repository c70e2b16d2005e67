"""The engines that run: what `dg-lsp engine` shows and ends."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from dg_engine.errors import EngineError
from dg_engine.messages import Bye, Stats, StatsReply, Welcome
from dg_engine.process.peer import process_of
from dg_engine.process.places import sockets
from dg_lsp.cli.engine_session import EngineSession
from dg_lsp.cli.failure import CommandError

NOT_ANSWERING = "not answering"
_WAIT = 5.0
_FACTS = frozenset({"pid", "clients", "queue", "memory_bytes", "uptime_s"})


class Resident(msgspec.Struct, frozen=True, kw_only=True):
    """One engine."""

    identity: str
    state: str
    pid: int
    model: str = ""
    device: str = ""
    clients: int = 0
    queue: int = 0
    memory_bytes: int = 0
    uptime_s: float = 0.0
    counters: dict[str, float] = {}
    histograms: dict[str, list[float]] = {}
    """The last observations by name."""

    @property
    def sentence(self) -> str:
        """For people."""
        if self.state == NOT_ANSWERING:
            return f"{self.identity}  does not answer, process {self.pid}; `dg-lsp engine stop` ends it"
        minutes, memory = self.uptime_s / 60, self.memory_bytes / 2**20
        what = f"{self.model or 'model not loaded yet'} on {self.device or 'no device yet'}"
        return f"{self.identity}  {self.state}, {what}, process {self.pid}, {self.clients} attached, {memory:.0f} MB, {minutes:.0f} min"


def residents() -> list[Resident]:
    """All that run. Raises CommandError."""
    return [found for path in _sockets() if (found := _ask(path)) is not None]


def stop_all() -> list[str]:
    """Ask each to leave; returns a sentence for each that is gone then. One that does not answer is killed. Raises CommandError."""
    return [sentence for path in _sockets() if (sentence := _stop(path))]


def _sockets() -> list[Path]:
    try:
        return sockets()
    except EngineError as error:
        raise CommandError(str(error)) from None


def _ask(path: Path) -> Resident | None:
    """None when nobody listens there any more; one that does not answer is known by its process alone."""
    session = _attached(path)
    if session is None:
        return None
    try:
        session.hello()
        welcome = session.until(Welcome, _WAIT)
        session.send(Stats())
        reply = session.until(StatsReply, _WAIT)
    except TimeoutError:
        return Resident(identity=path.stem, state=NOT_ANSWERING, pid=process_of(session.socket) or 0)
    except (OSError, EOFError, EngineError):
        return None
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


def _attached(path: Path) -> EngineSession | None:
    try:
        return EngineSession.attach(path)
    except OSError:
        return None


def _stop(path: Path) -> str:
    """What was done; empty when nobody is there."""
    session = _attached(path)
    if session is None:
        return ""
    try:
        session.hello()
        session.until(Welcome, _WAIT)
        session.send(Bye(reason="stop"))
        while True:
            session.read(_WAIT)
    except TimeoutError:
        return _kill(path, process_of(session.socket))
    except (EOFError, OSError):
        return f"Stopped {path.stem}."
    except EngineError:
        return ""
    finally:
        session.end()


def _kill(path: Path, process: int | None) -> str:
    """End one that does not answer: it is ours, since its socket lies in a folder that only we may enter."""
    if process is None:
        return f"{path.stem} does not answer; end its process by hand."
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    path.unlink(missing_ok=True)
    return f"Killed {path.stem}, process {process}, which did not answer."
