"""`workspace/executeCommand`: our commands. They never answer with an error, which would pop up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dg_lsp.requests.outcome import ACCEPTED, outcome

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


COMMANDS: dict[str, Callable[[FrontServer, list[Any]], None]] = {
    ACCEPTED: accepted,
    "dg.server.restartEngine": restart_engine,
}
