"""`initialized`: from now on the client takes requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.INITIALIZED


def lenient(params: Any) -> Any:
    """Some clients send no params."""
    return params if isinstance(params, dict) else {}


def handle(server: FrontServer, params: types.InitializedParams) -> None:  # noqa: ARG001 - all handlers share one signature
    """Pull the configuration, allow progress."""
    window = server.protocol.client_capabilities.window
    server.status.progress.allowed = bool(window and window.work_done_progress)
    server.configuration.pull()
    server.status.changed()
