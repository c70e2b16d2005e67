"""`textDocument/didChange`, incremental or whole."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

log = logging.getLogger(__name__)

METHOD = types.TEXT_DOCUMENT_DID_CHANGE


def lenient(params: Any) -> Any:
    """A missing version, and a range of null for the whole text, are read as what they mean."""
    if not isinstance(params, dict):
        return params
    document, changes = params.get("textDocument"), params.get("contentChanges")
    if isinstance(document, dict) and not isinstance(document.get("version"), int):
        document = document | {"version": 0}
    if isinstance(changes, list):
        texts = all(isinstance(one.get("text"), str) for one in changes if isinstance(one, dict))
        changes = [_without_null(one) for one in changes] if texts else None  # what is no text must not be taken for one
    return params | {"textDocument": document, "contentChanges": changes}


def unreadable(server: FrontServer, params: Any) -> None:
    """What the text is now nobody knows: the document is closed until the client opens it again."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    if isinstance(uri, str) and server.documents.close(uri) is not None:
        log.warning("A change that cannot be read: its document is not completed until it is opened again.")
        server.completions.closed(uri)
        server.status.forget(uri)


def handle(server: FrontServer, params: types.DidChangeTextDocumentParams) -> None:
    """Apply the changes; what hangs on the document follows or ends."""
    document = params.text_document
    edits = server.documents.change(document.uri, document.version, params.content_changes)
    server.completions.edited(document.uri, edits)


def _without_null(change: Any) -> Any:
    if not isinstance(change, dict) or change.get("range", change) is not None:
        return change
    return {name: value for name, value in change.items() if name != "range"}
