"""`textDocument/didOpen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.TEXT_DOCUMENT_DID_OPEN


def handle(server: FrontServer, params: types.DidOpenTextDocumentParams) -> None:
    """Take the document in; the first that can be completed starts the engine."""
    opened = params.text_document
    document = server.documents.open(opened.uri, str(opened.language_id), opened.version, opened.text)
    server.completions.opened(document)
