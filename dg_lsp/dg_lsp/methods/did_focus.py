"""`textDocument/didFocus`, as clients of Copilot's protocol send it: accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = "textDocument/didFocus"


def handle(server: FrontServer, params: object) -> None:
    """Nothing to do."""
