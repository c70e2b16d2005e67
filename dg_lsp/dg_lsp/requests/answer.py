"""From a completion to the items of an answer, at reply time, against the document as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lsprotocol import types

from dg_engine.messages import Candidate, Completion
from dg_lsp.context.window import PREFIX_LIMIT, SUFFIX_LIMIT
from dg_lsp.documents.place import Place
from dg_lsp.documents.store import DocumentStore
from dg_lsp.documents.text import Text
from dg_lsp.requests.asked import Asked
from dg_lsp.requests.journal import Told
from dg_lsp.requests.outcome import ACCEPTED
from dg_lsp.requests.typed import Typed
from dg_lsp.reuse.memory import Suggestion
from dg_lsp.shaping.pipeline import Acted, shape, sure_of
from dg_lsp.shaping.spot import Spot

_ANY_NUMBER: Final = 1 << 30
LEAST_SCORE: Final = 0.1
"""Of what the judge gives less, 4 in 100 are right (starter, 700 lines)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What was asked for, and what is good enough to show."""

    max_lines: int
    threshold: float | None
    """None: by trigger and judge."""


def before(text: Text, place: Place) -> str:
    """The window up to a place, LF only."""
    offset = text.lf_offset(place)
    return text.following(text.place_at(max(0, offset - PREFIX_LIMIT)), min(offset, PREFIX_LIMIT))


def shaped(request: Asked, typed: Typed, completion: Completion, text: Text, limits: Limits) -> list[Told]:
    """What is shown of each candidate, for the document as it is now."""
    told = []
    for candidate in completion.candidates:
        acted: list[Acted] = []
        shown = rebase(request, typed, candidate, text, limits, acted=acted)
        told.append(Told.of(candidate, shown, acted))
    return told


def rebase(
    asked: Asked, typed: Typed, candidate: Candidate, text: Text, limits: Limits, *, acted: list[Acted] | None = None
) -> str:
    """What the candidate adds at the cursor as it is now, shaped; empty when it contradicts what was typed since."""
    shaped = shape(candidate.text, _asked_spot(asked, candidate, limits), acted)
    if not asked.selected and not typed.typed and not typed.closer:
        return shaped
    if not shaped.startswith(typed.typed):
        return ""
    if asked.selected:
        return "" if typed.typed else shaped
    return reshape(shaped.removeprefix(typed.typed), text, typed.cursor, acted)


def reshape(text_to_show: str, text: Text, cursor: Place, acted: list[Acted] | None = None) -> str:
    """What was shaped once, shaped again for where the cursor is now."""
    return shape(text_to_show, Spot(before(text, cursor), text.following(cursor, SUFFIX_LIMIT), _ANY_NUMBER), acted)


def _asked_spot(asked: Asked, candidate: Candidate, limits: Limits) -> Spot:
    """Where the candidate was made for: a chosen pop-up entry counts as written."""
    chosen, start = (asked.selected.text, asked.selected.start) if asked.selected else ("", asked.cursor)
    return Spot(
        before=before(asked.text, start) + chosen,
        after=asked.text.following(asked.cursor, SUFFIX_LIMIT),
        max_lines=limits.max_lines,
        confidence=sure_of(candidate),
        threshold=_threshold(asked, candidate) if limits.threshold is None else limits.threshold,
    )


def _threshold(asked: Asked, candidate: Candidate) -> float:
    """What nobody has asked for must be likelier to be right than one in ten; whoever asks by hand sees what there is."""
    return LEAST_SCORE if candidate.score is not None and asked.trigger == "automatic" else 0.0


def item(store: DocumentStore, text: Text, start: Place, cursor: Place, suggestion: Suggestion) -> types.InlineCompletionItem:
    """The item that puts `suggestion` in place of what stands from `start` to the cursor (nothing, as a rule)."""
    arguments = [{"id": suggestion.job, "chars": len(suggestion.text)}]
    return types.InlineCompletionItem(
        insert_text=suggestion.text,
        range=types.Range(store.position(text, start), store.position(text, cursor)),
        command=types.Command(title="Accepted", command=ACCEPTED, arguments=arguments),
    )


def item_for(
    store: DocumentStore, request: Asked, text: Text, typed: Typed, suggestion: Suggestion
) -> types.InlineCompletionItem:
    """The item at the cursor as it is now; where a pop-up's entry is chosen, it extends that."""
    if request.selected is None:
        return item(store, text, typed.cursor, typed.cursor, suggestion)
    whole = Suggestion(request.selected.text + suggestion.text, suggestion.job)
    return item(store, text, request.selected.start, typed.cursor, whole)
