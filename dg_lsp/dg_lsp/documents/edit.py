"""One change of a document, trimmed to what really changed: what pending requests and shown suggestions are judged by."""

from __future__ import annotations

from dataclasses import dataclass

from dg_lsp.documents import lines
from dg_lsp.documents.place import NOWHERE, Place, common_prefix, common_suffix
from dg_lsp.documents.text import Text


@dataclass(frozen=True, slots=True)
class Edit:
    """At `at`, `removed` became `inserted` (both LF, sharing neither start nor end); `text` is the document after it."""

    at: Place
    removed: str
    inserted: str
    text: Text

    @property
    def empty(self) -> bool:
        """Nothing changed, as when a span was replaced by itself."""
        return not self.removed and not self.inserted


def apply(text: Text, start: Place, end: Place, new: str) -> Edit:
    """Replace what stands between two places of `text` by `new`."""
    if _joins_a_line_end(text, start, end, new):
        return Edit(at=NOWHERE, removed="", inserted="\n", text=text.replace(start, end, new))
    removed, inserted = lines.to_lf(text.slice(start, end)), lines.to_lf(new)
    head = common_prefix(removed, inserted)
    tail = common_suffix(removed[head:], inserted[head:])
    return Edit(
        at=start.after(removed[:head]),
        removed=removed[head : len(removed) - tail],
        inserted=inserted[head : len(inserted) - tail],
        text=text.replace(start, end, new),
    )


def _joins_a_line_end(text: Text, start: Place, end: Place, new: str) -> bool:
    """Whether a CR and a LF become one line end, or stop being one: then lines come and go away from where it was typed."""
    before = text.raw_line(start.line)[: start.col][-1:] or (text.raw_line(start.line - 1)[-1:] if start.line else "")
    after = text.raw_line(end.line)[end.col :][:1]
    cut = text.raw_line(end.line)[end.col - 1 : end.col] if end.col else ""
    touches = (before == "\r" and (new or after).startswith("\n")) or (after == "\n" and (new or before).endswith("\r"))
    return touches or (after == "\n" and cut == "\r")
