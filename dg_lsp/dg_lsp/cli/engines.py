"""Where a sub-command gets its completions: the shared engine, a private one for the call, or the model in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from dg_engine.errors import EngineError
from dg_engine.messages import Bye, Cancelled, Completion, Failed, FillJob, Status, Welcome
from dg_engine.paths import absolute
from dg_engine.process.identity import Wanted, identity
from dg_engine.process.places import places
from dg_engine.steps import finish
from dg_lsp.cli.engine_session import LOADING, EngineSession
from dg_lsp.cli.failure import CommandError

Fill = Callable[[FillJob], tuple[Completion, dict[str, str]]]
"""Runs a job; returns its completion and facts about the model. Raises CommandError."""


def require_engine() -> None:
    """Raises CommandError when the engine's packages are not installed."""
    if find_spec("torch") is None:
        raise CommandError("The engine is not installed: run `pip install 'dg-lsp[engine]'`.")


@contextmanager
def engine(model: Path | None) -> Iterator[Fill]:
    """The shared engine when it runs, else a private one that lives as long as the call."""
    require_engine()
    model = absolute(model) if model else None
    try:
        session = _running(model) or EngineSession.start(*(["--model", str(model)] if model else []))
    except EngineError as error:
        raise CommandError(str(error)) from None
    try:
        _wait_ready(session)
        yield lambda job: _fill(session, job)
    finally:
        session.end()


def _running(model: Path | None) -> EngineSession | None:
    """A session with the shared engine of this model, if there is one. A model that cannot be read is the private engine's to explain."""
    with suppress(EngineError):
        place = places(identity(Wanted(model=model)))
        for path in (place.socket, place.port):
            with suppress(OSError):
                return EngineSession.attach(path)
    return None


def _wait_ready(session: EngineSession) -> None:
    """Tell on a terminal what is going on while the model loads."""
    session.hello()
    try:
        while (status := session.until(Status, LOADING)).state == "loading":
            if sys.stderr.isatty() and status.progress is not None:
                sys.stderr.write(f"\r\033[Kloading {status.progress:.0%} {status.message}")
    except (EOFError, OSError) as error:
        raise CommandError(f"The engine process ended while it was loading ({error!r}).") from None
    finally:
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
    if status.state != "ready":
        raise CommandError(status.message)


def _fill(session: EngineSession, job: FillJob) -> tuple[Completion, dict[str, str]]:
    session.send(job)
    try:
        while True:
            message = session.read(LOADING)
            if isinstance(message, Completion):
                return message, _facts(session)
            if isinstance(message, Failed | Bye):
                raise CommandError(message.sentence)
            if isinstance(message, Cancelled):
                raise CommandError("The completion was cancelled.")
    except TimeoutError:
        raise CommandError(f"The engine did not answer within {LOADING:.0f} seconds.") from None
    except (EOFError, OSError):
        raise CommandError("The engine process ended before it answered.") from None


def _facts(session: EngineSession) -> dict[str, str]:
    welcome = [message for message in session.seen if isinstance(message, Welcome)][-1]
    return {
        "model": welcome.model,
        "profile": welcome.profile,
        "device": welcome.device,
        "backbone": welcome.backbone,
        "languages": " ".join(welcome.languages),
    }


@contextmanager
def in_process(model: Path | None) -> Iterator[Fill]:
    """The model in this process."""
    require_engine()
    from dg_engine.fill import Filler  # noqa: PLC0415 - brings torch
    from dg_engine.model import Model  # noqa: PLC0415

    try:
        loaded = Model.load(absolute(model) if model else None)
    except EngineError as error:
        raise CommandError(str(error)) from None
    filler = Filler(loaded)
    facts = {
        "model": str(loaded.folder.path),
        "profile": loaded.profile.name,
        "device": str(loaded.backbone.device),
        "backbone": loaded.backbone.name,
        "languages": " ".join(loaded.profile.languages),
    }

    def fill(job: FillJob) -> tuple[Completion, dict[str, str]]:
        try:
            return finish(filler.fill(job)), facts
        except EngineError as error:
            raise CommandError(str(error)) from None

    yield fill
