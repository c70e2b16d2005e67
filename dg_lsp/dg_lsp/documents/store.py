"""The documents that the editor has open."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types

from dg_lsp.documents import edit, encoding
from dg_lsp.documents import uri as uris
from dg_lsp.documents.edit import Edit
from dg_lsp.documents.encoding import Encoding
from dg_lsp.documents.place import START, Place
from dg_lsp.documents.text import Text

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Document:
    """An open document; `text` is immutable, so that a reference to it is a snapshot."""

    uri: str
    """As the client spelt it when it opened the document."""
    language: str
    version: int
    text: Text

    @property
    def key(self) -> str:
        """The same for every spelling of the URI: what belongs to the document is kept under it."""
        return uris.key(self.uri)


class DocumentStore:
    """Documents by URI, any scheme. Positions are read and written in the negotiated encoding."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._documents: dict[str, Document] = {}

    def __len__(self) -> int:
        return len(self._documents)

    def get(self, uri: str) -> Document | None:
        """The open document of a URI, or None."""
        return self._documents.get(uris.key(uri))

    def by_key(self, key: str) -> Document | None:
        """The open document of a key: a key is no URI, escapes in a file's name would be resolved twice."""
        return self._documents.get(key)

    def all(self) -> list[Document]:
        """The open documents, the one opened last at the end."""
        return list(self._documents.values())

    def open(self, uri: str, language: str, version: int, text: str) -> Document:
        """Take in a document; one that is open already is replaced."""
        document = Document(uri, language, version, Text.of(text))
        self._documents[document.key] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document; returns it if it was open."""
        return self._documents.pop(uris.key(uri), None)

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> list[Edit]:
        """Apply changes one after the other; returns those that changed anything. Nothing happens to an unknown document."""
        document = self.get(uri)
        if document is None:
            log.info("A change of a document that is not open was passed over.")
            return []
        edits = []
        for change in changes:
            edits.append(self._apply(document.text, change))
            document.text = edits[-1].text
        document.version = version
        return [one for one in edits if not one.empty]

    def place(self, text: Text, position: types.Position) -> Place:
        """The place of an LSP position, clamped to the text."""
        if position.line >= text.count:
            return text.end
        return Place(position.line, encoding.column(text.line(position.line), position.character, self.encoding))

    def position(self, text: Text, place: Place) -> types.Position:
        """The LSP position of a place."""
        return types.Position(place.line, encoding.units(text.raw_line(place.line)[: place.col], self.encoding))

    def _apply(self, text: Text, change: types.TextDocumentContentChangeEvent) -> Edit:
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return edit.apply(text, START, text.end, change.text)
        start, end = self.place(text, change.range.start), self.place(text, change.range.end)
        return edit.apply(text, min(start, end), max(start, end), change.text)
