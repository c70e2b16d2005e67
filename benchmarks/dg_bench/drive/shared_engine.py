"""The shared engine as tests meet it: attached to, known by its process, gone."""

from __future__ import annotations

from dg_bench.drive.processes import alive, until
from dg_engine.messages import Stats, StatsReply
from dg_engine.process.places import Places
from dg_lsp.cli.engine_session import EngineSession


def attached(place: Places) -> EngineSession:
    """A session, once the engine listens."""

    def attach() -> EngineSession | None:
        try:
            return EngineSession.attach(place.socket)
        except OSError:
            return None

    session = until(attach)
    assert session is not None, place.output.read_text()
    return session


def pid(session: EngineSession) -> int:
    """The engine's process."""
    session.send(Stats())
    return int(session.until(StatsReply).counters["pid"])


def ended(number: int) -> bool:
    """Whether a process has ended, in time."""
    return until(lambda: not alive(number))
