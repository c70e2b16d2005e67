"""`exit`: leave, with code 0 after a shutdown, else 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.EXIT


def handle(server: FrontServer, params: object) -> None:  # noqa: ARG001 - all handlers share one signature
    """Leave."""
    server.leave()
