"""`workspace/didChangeConfiguration`: settings take effect without a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.WORKSPACE_DID_CHANGE_CONFIGURATION


def lenient(params: Any) -> Any:
    """`settings` may be null or missing: then they are pulled."""
    return {"settings": params.get("settings") if isinstance(params, dict) else None}


def handle(server: FrontServer, params: types.DidChangeConfigurationParams) -> None:
    """Take what was pushed; pull the rest."""
    server.configuration.changed(params.settings)
