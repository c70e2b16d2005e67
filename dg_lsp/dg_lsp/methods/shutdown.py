"""`shutdown`: every running request ends; what comes after is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.SHUTDOWN


def handle(server: FrontServer, params: object) -> None:  # noqa: ARG001 - all handlers share one signature
    """Stop working."""
    server.protocol.cancel_all()
    server.protocol.shut_down = True
