"""`workspace/executeCommand`: our commands. They never answer with an error, which would pop up."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dg_lsp.documents import uri as uris
from dg_lsp.requests.outcome import ACCEPTED, outcome
from dg_lsp.requests.pause import DEFAULT_MINUTES
from dg_lsp.status.report import PAUSE
from dg_lsp.status.summary import summary

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

log = logging.getLogger(__name__)

METHOD = types.WORKSPACE_EXECUTE_COMMAND


def handle(server: FrontServer, params: types.ExecuteCommandParams) -> Any:
    """Run a command; one that we do not know does nothing."""
    command = server.protocol.fm.commands.get(params.command)
    if command is None:
        log.warning("a command that is none of ours was passed over")
        return None
    return command(params.arguments or [])


def failed() -> None:
    """An error would pop up."""
    return


def accepted(server: FrontServer, arguments: list[Any]) -> None:
    """A suggestion was inserted as a whole; the argument is that of its item."""
    first = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
    if (told := outcome(first.get("id"), first.get("chars", 0))) is not None:
        server.engine.tell(told)


def restart_engine(server: FrontServer, arguments: list[Any]) -> None:  # noqa: ARG001 - all commands share one signature
    """Let the engine go and start it anew."""
    server.engine.restart()


def pause(server: FrontServer, arguments: list[Any]) -> dict[str, float]:
    """Complete nothing for so many minutes; 0 ends a pause, and so does no argument while there is one."""
    held = server.completions.eligibility.pause
    first = arguments[0] if arguments else None
    minutes = first.get("minutes") if isinstance(first, dict) else first
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not math.isfinite(minutes):
        minutes = 0.0 if held.minutes_left else DEFAULT_MINUTES
    held.begin(minutes)
    server.status.paused(held.minutes_left)
    return {"minutes": round(held.minutes_left, 2)}


def explain(server: FrontServer, arguments: list[Any]) -> dict[str, Any]:
    """How the last requests in a document (its URI, or an object that holds it) were answered, the newest first."""
    first = arguments[0] if arguments else None
    uri = first.get("uri") if isinstance(first, dict) else first
    if not isinstance(uri, str):
        return {"answers": [], "reason": "Say which document: its URI is the command's argument."}
    answers = [one.plain() for one in server.completions.journal.last(uris.key(uri))]
    return {"uri": uri, "answers": answers, **({} if answers else {"reason": "Nothing was asked in this document yet."})}


def report(server: FrontServer, arguments: list[Any]) -> dict[str, Any]:  # noqa: ARG001 - all commands share one signature
    """What a report of a fault should say about this server; no source text."""
    return {"text": summary(server)}


COMMANDS: dict[str, Callable[[FrontServer, list[Any]], Any]] = {
    ACCEPTED: accepted,
    "dg.server.restartEngine": restart_engine,
    PAUSE: pause,
    "dg.server.explain": explain,
    "dg.server.report": report,
}
