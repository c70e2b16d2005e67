"""The suggestion last shown in each document: what is typed along it is answered without the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dg_lsp.documents.edit import Edit
from dg_lsp.documents.place import Place
from dg_lsp.requests.typed import Typed


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Text for the cursor, the job it came from, and what an editor has put behind the cursor by itself since."""

    text: str
    job: int
    closer: str = ""
    lines: int = 1
    """How many were asked for: one that stands for a single line is no answer where several are wanted."""


@dataclass(slots=True)
class _Shown:
    suggestion: Suggestion
    typed: Typed


class Memory:
    """A shown suggestion stays as long as nothing but typing at its place changes the document."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}

    def remember(self, key: str, cursor: Place, suggestion: Suggestion) -> None:
        """Note what is shown at the cursor."""
        self._shown[key] = _Shown(suggestion, Typed(cursor))

    def forget(self, key: str) -> None:
        """The document was closed, or what was shown does not count any more."""
        self._shown.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._shown.clear()

    def taken(self, key: str, edits: Sequence[Edit]) -> Suggestion | None:
        """What one change has taken of the suggestion that is shown, when it inserts several characters of it: an editor's accept."""
        shown = self._shown.get(key)
        if shown is None or len(edits) != 1:
            return None
        (edit,) = edits
        rest = shown.suggestion.text.removeprefix(shown.typed.typed)
        fits = edit.at == shown.typed.cursor and not edit.removed and len(edit.inserted) > 1 and rest.startswith(edit.inserted)
        return Suggestion(shown.typed.typed + edit.inserted, shown.suggestion.job) if fits else None

    def edited(self, key: str, edits: Sequence[Edit]) -> None:
        """The document changed."""
        shown = self._shown.get(key)
        if shown is not None and not all(shown.typed.follow(edit) for edit in edits):
            self.forget(key)

    def recall(self, key: str, cursor: Place) -> Suggestion | None:
        """What is left of the suggestion at the cursor, when something is."""
        shown = self._shown.get(key)
        if shown is None or shown.typed.cursor != cursor:
            return None
        rest = shown.suggestion.text.removeprefix(shown.typed.typed)
        if not shown.suggestion.text.startswith(shown.typed.typed) or not rest.strip():
            return None
        return Suggestion(rest, shown.suggestion.job, shown.typed.closer, shown.suggestion.lines)
