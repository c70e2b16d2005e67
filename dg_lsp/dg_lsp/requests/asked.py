"""What was asked for: an immutable snapshot of the document at the cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsprotocol import types

from dg_engine.messages import Trigger
from dg_lsp.documents.place import Place
from dg_lsp.documents.store import Document, DocumentStore
from dg_lsp.documents.text import Text


@dataclass(frozen=True, slots=True)
class Selected:
    """The entry chosen in the editor's pop-up: `text` replaces what stands from `start` to the cursor."""

    start: Place
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it stood when it was read."""

    uri: str
    key: str
    """Of the document (documents.uri)."""
    language: str
    version: int
    text: Text
    cursor: Place
    trigger: Trigger
    selected: Selected | None = None
    misplaced: bool = False
    """A selection that no item of one line at the cursor can replace."""

    @property
    def before(self) -> str:
        """The cursor's line up to the cursor."""
        return self.text.line(self.cursor.line)[: self.cursor.col]

    @property
    def after(self) -> str:
        """The cursor's line from the cursor on."""
        return self.text.line(self.cursor.line)[self.cursor.col :]


def expected(document: Document, cursor: Place) -> Asked:
    """The request that a client will make by itself once typing pauses at the cursor."""
    return Asked(
        uri=document.uri,
        key=document.key,
        language=document.language,
        version=document.version,
        text=document.text,
        cursor=cursor,
        trigger="automatic",
    )


def read(store: DocumentStore, document: Document, params: types.InlineCompletionParams) -> Asked:
    """The snapshot of a request."""
    cursor = store.place(document.text, params.position)
    info = params.context.selected_completion_info
    start = store.place(document.text, info.range.start) if info else cursor
    end = store.place(document.text, info.range.end) if info else cursor
    invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
    return replace(
        expected(document, cursor),
        trigger="invoked" if invoked else "automatic",
        selected=Selected(start, info.text) if info else None,
        misplaced=start.line != cursor.line or start > cursor or end != cursor or "\n" in (info.text if info else ""),
    )
