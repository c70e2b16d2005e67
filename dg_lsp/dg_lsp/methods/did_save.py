"""`textDocument/didSave`: accepted; the text is the editor's, saved or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.TEXT_DOCUMENT_DID_SAVE
OPTIONS = types.SaveOptions(include_text=False)


def handle(server: FrontServer, params: types.DidSaveTextDocumentParams) -> None:
    """Nothing to do."""
