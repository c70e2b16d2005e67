"""`workspace/didChangeWorkspaceFolders`: accepted; nothing depends on folders yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS


def handle(server: FrontServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Nothing to do."""
