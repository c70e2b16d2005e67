"""From a completion to the items of an answer, at reply time, against the document as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dg_engine.messages import Candidate
from lsprotocol import types

from dg_lsp.context.window import PREFIX_LIMIT, SUFFIX_LIMIT
from dg_lsp.documents.place import Place
from dg_lsp.documents.store import DocumentStore
from dg_lsp.documents.text import Text
from dg_lsp.requests.asked import Asked
from dg_lsp.requests.typed import Typed
from dg_lsp.reuse.memory import Suggestion
from dg_lsp.shaping.pipeline import confidence, shape
from dg_lsp.shaping.spot import Spot

ACCEPTED: Final = "dg.server.accepted"


@dataclass(frozen=True, slots=True)
class Limits:
    """What was asked for, and what is good enough to show."""

    max_lines: int
    threshold: float


def spot(text: Text, before: Place, after: Place, inserted: str = "", limits: Limits | None = None, sure: float = 1.0) -> Spot:
    """The surroundings of an answer: what stands up to `before`, then `inserted`, then the hole, then what follows `after`."""
    offset = text.lf_offset(before)
    start = text.place_at(max(0, offset - PREFIX_LIMIT))
    return Spot(
        before=text.following(start, min(offset, PREFIX_LIMIT)) + inserted,
        after=text.following(after, SUFFIX_LIMIT),
        max_lines=limits.max_lines if limits else 1 << 30,
        confidence=sure,
        threshold=limits.threshold if limits else 0.0,
    )


def rebase(asked: Asked, typed: Typed, candidate: Candidate, text: Text, limits: Limits) -> str:
    """What the candidate adds at the cursor as it is now, shaped; empty when it contradicts what was typed since."""
    chosen = asked.selected.text if asked.selected else ""
    start = asked.selected.start if asked.selected else asked.cursor
    sure = confidence(candidate.confidence)
    shaped = shape(candidate.text, spot(asked.text, start, asked.cursor, chosen, limits, sure))
    if not asked.selected and not typed.typed and not typed.closer:
        return shaped
    if not shaped.startswith(typed.typed):
        return ""
    if asked.selected:
        return "" if typed.typed else shaped
    return shape(shaped.removeprefix(typed.typed), spot(text, typed.cursor, typed.cursor))


def item(store: DocumentStore, text: Text, start: Place, cursor: Place, suggestion: Suggestion) -> types.InlineCompletionItem:
    """The item that puts `suggestion` in place of what stands from `start` to the cursor (nothing, as a rule)."""
    arguments = [{"id": suggestion.job, "chars": len(suggestion.text)}]
    return types.InlineCompletionItem(
        insert_text=suggestion.text,
        range=types.Range(store.position(text, start), store.position(text, cursor)),
        command=types.Command(title="Accepted", command=ACCEPTED, arguments=arguments),
    )
