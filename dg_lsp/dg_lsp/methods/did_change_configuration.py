"""`workspace/didChangeConfiguration`: settings take effect without a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dg_lsp.settings.read import tree_of

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.WORKSPACE_DID_CHANGE_CONFIGURATION


def lenient(params: Any) -> Any:
    """`settings` may be null or missing: then they are pulled."""
    return {"settings": params.get("settings") if isinstance(params, dict) else None}


def handle(server: FrontServer, params: types.DidChangeConfigurationParams) -> None:
    """Take what was pushed; pull when nothing was."""
    if tree_of(params.settings):
        server.take_configuration(params.settings)
    else:
        server.pull_configuration()
