"""Registers every method and command with pygls."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dg_lsp.methods import (
    completion,
    did_change,
    did_change_configuration,
    did_change_workspace_folders,
    did_close,
    did_focus,
    did_open,
    did_partially_accept,
    did_save,
    did_show,
    execute_command,
    exit_,
    initialize,
    initialized,
    inline_completion,
    set_trace,
    shutdown,
    status,
)
from dg_lsp.methods.handler import Handler

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

MODULES = (
    initialize,
    initialized,
    shutdown,
    exit_,
    set_trace,
    did_open,
    did_change,
    did_close,
    did_save,
    did_change_configuration,
    did_change_workspace_folders,
    inline_completion,
    completion,
    execute_command,
    status,
    did_show,
    did_partially_accept,
    did_focus,
)


def register_all(server: FrontServer) -> None:
    """Every method of ours, and the commands that the client is told about."""
    for module in MODULES:
        handler = Handler(
            partial(module.handle, server),
            lenient=getattr(module, "lenient", None),
            malformed=getattr(module, "malformed", None),
            unreadable=partial(module.unreadable, server) if hasattr(module, "unreadable") else None,
            failed=getattr(module, "failed", None),
        )
        server.feature(module.METHOD, getattr(module, "OPTIONS", None))(handler)
    for name, command in execute_command.COMMANDS.items():
        server.command(name)(partial(command, server))
