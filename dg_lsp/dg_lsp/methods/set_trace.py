"""`$/setTrace`: accepted; our log has its own setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.SET_TRACE


def handle(server: FrontServer, params: types.SetTraceParams) -> None:
    """Nothing to do."""
