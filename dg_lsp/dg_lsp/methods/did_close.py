"""`textDocument/didClose`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.TEXT_DOCUMENT_DID_CLOSE


def handle(server: FrontServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget the document and all that belongs to it."""
    uri = params.text_document.uri
    server.documents.close(uri)
    server.completions.closed(uri)
    server.status.forget(uri)
