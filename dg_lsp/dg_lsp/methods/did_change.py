"""`textDocument/didChange`, incremental or whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.TEXT_DOCUMENT_DID_CHANGE


def handle(server: FrontServer, params: types.DidChangeTextDocumentParams) -> None:
    """Apply the changes; what hangs on the document follows or ends."""
    document = params.text_document
    edits = server.documents.change(document.uri, document.version, params.content_changes)
    server.completions.edited(document.uri, edits)
