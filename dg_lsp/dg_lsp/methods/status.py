"""`dg/status`: how the server is, and whether a document is completed; answered at once, whatever runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dg_lsp.status.status import METHOD

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

__all__ = ["METHOD", "handle"]


def handle(server: FrontServer, params: Any) -> dict[str, Any]:
    """`{textDocument?: {uri}}` in, a report out."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return server.status.current(uri if isinstance(uri, str) else None)
