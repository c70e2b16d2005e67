"""The index over open documents: kept up in the background piece by piece, asked at a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from dg_engine.messages import Guess
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Chunk, Text
from dg_lsp.guesses.continuation import Cursor, continuation
from dg_lsp.guesses.piece import RUNS, Piece, pieces_of, run_hash
from dg_lsp.guesses.words import WORD, matched_words, split_half

MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Of all documents together; about ten bytes of index come to each."""
GUESSES: Final = 4
_BACK: Final = 600
"""Characters before the cursor that are compared."""
_AHEAD: Final = 400
_PLACES: Final = 150
"""Places that are looked at, the nearest documents first."""
_MEETING: Final = 4
"""Words before the cursor that meeting what follows it is worth."""


@dataclass(slots=True)
class _Indexed:
    """One document: its text, and the index of each chunk that has one, by the chunk's id (the text holds the chunks)."""

    group: str | None
    text: Text
    pieces: dict[int, list[Piece]] = field(default_factory=dict)
    before: dict[tuple[str, ...], Piece] = field(default_factory=dict)
    """Pieces of chunks that the last change has replaced: most of them come again."""

    @classmethod
    def of(cls, group: str | None, text: Text, known: _Indexed | None) -> _Indexed:
        """The document as it is now, with what is known of it. Costs what was changed, and a look at each chunk."""
        if known is None:
            return cls(group, text)
        present = {id(chunk) for chunk in text.chunks}
        kept = {number: pieces for number, pieces in known.pieces.items() if number in present}
        gone = [pieces for number, pieces in known.pieces.items() if number not in present]
        before = {piece.source: piece for pieces in gone for piece in pieces}
        return cls(group, text, kept, before or known.before)

    def index(self, chunk: Chunk) -> list[Piece]:
        """The chunk's pieces, made where they are not there yet."""
        pieces = self.pieces.get(id(chunk))
        if pieces is None:
            pieces = self.pieces[id(chunk)] = pieces_of(chunk.lines, self.before)
        return pieces

    def missing(self) -> Chunk | None:
        """A chunk that is not indexed yet."""
        return next((chunk for chunk in self.text.chunks if id(chunk) not in self.pieces), None)


@dataclass(slots=True)
class _Found:
    """One continuation, and how it was come by."""

    match: int
    count: int
    meets: bool

    @property
    def worth(self) -> tuple[int, int]:
        return self.match + _MEETING * self.meets, self.count


class GuessIndex:
    """What followed the same words. Lives in memory only; a document never gives guesses to one of another group (workspace)."""

    def __init__(self, group_of: Callable[[str], str | None] = lambda _: None) -> None:
        """`group_of` says which workspace a document (its key) belongs to."""
        self._group_of = group_of
        self._documents: dict[str, _Indexed] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def characters(self) -> int:
        """Of all documents in it."""
        return sum(one.text.chars for one in self._documents.values())

    @property
    def documents(self) -> list[str]:
        """The documents in it."""
        return list(self._documents)

    def update(self, key: str, text: Text) -> None:
        """The document is open, or has changed; what is new in it is indexed while nothing else is to be done."""
        known = self._documents.pop(key, None)
        if text.chars > MOST_CHARACTERS:
            return
        self._documents[key] = _Indexed.of(self._group_of(key), text, known)
        while self.characters > MOST_CHARACTERS:  # the one that was touched longest ago
            del self._documents[next(iter(self._documents))]
        if self._task is None or self._task.done():
            try:
                self._task = asyncio.get_running_loop().create_task(self._work())
            except RuntimeError:  # no loop: a program that asks in a row
                self.finish()

    async def settled(self) -> None:
        """Return when everything is indexed."""
        if self._task is not None:
            await self._task

    def finish(self) -> None:
        """Index what is missing now."""
        while (todo := self._next()) is not None:
            todo[0].index(todo[1])

    def forget(self, key: str) -> None:
        """The document was closed, or is excluded now."""
        self._documents.pop(key, None)

    def guesses(self, key: str, text: Text, cursor: Place, max_lines: int) -> list[Guess]:
        """Up to four different continuations at the cursor, the likeliest first."""
        wanted = _cursor(text, cursor, max_lines)
        words = WORD.findall(wanted.base)
        for run in RUNS:
            found = self._look(key, cursor, wanted, run, words[-run:]) if len(words) >= run else {}
            if found:
                break
        else:
            return []
        ranked = sorted(found.items(), key=lambda one: one[1].worth, reverse=True)[:GUESSES]
        total = sum(one.count for one in found.values())
        return [Guess(text=guess, match_length=one.match, count=one.count, of=total, meets=one.meets) for guess, one in ranked]

    def _look(self, key: str, cursor: Place, wanted: Cursor, run: int, words: list[str]) -> dict[str, _Found]:
        """What follows each place where the run of words stands, nearest documents first."""
        found: dict[str, _Found] = {}
        before, wanted_key, left = wanted.open_ended, run_hash(words), _PLACES
        for piece, own in self._pieces(key, cursor):
            for place in piece.places(run, wanted_key):
                if place == own:
                    continue
                if (went_on := continuation(wanted, piece.text, place)) is not None:
                    guess, meets = went_on
                    match = matched_words(before, piece.text[max(0, place - _BACK) : place])
                    _note(found, guess, match, meets=meets)
                left -= 1
                if left == 0:
                    return found
        return found

    def _pieces(self, key: str, cursor: Place) -> Iterator[tuple[Piece, int]]:
        """Those of the document itself first, then the others of its group, the one touched last before all.

        With each comes the place in it where the cursor's own words end, or -1.
        """
        mine = self._documents.get(key)
        if mine is not None:
            yield from _own_pieces(mine, cursor)
        group = self._group_of(key)
        for name, one in reversed(self._documents.items()):
            if name != key and one.group == group:
                yield from ((piece, -1) for pieces in one.pieces.values() for piece in pieces)

    async def _work(self) -> None:
        """Index what is missing, a chunk at a time, letting everything else go first."""
        while (todo := self._next()) is not None:
            document, chunk = todo
            document.index(chunk)
            await asyncio.sleep(0)

    def _next(self) -> tuple[_Indexed, Chunk] | None:
        for document in self._documents.values():
            if (chunk := document.missing()) is not None:
                return document, chunk
        return None


def _own_pieces(document: _Indexed, cursor: Place) -> Iterator[tuple[Piece, int]]:
    """The pieces of the cursor's document; its own chunk is indexed on the spot if need be."""
    line = 0
    for chunk in document.text.chunks:
        here = line <= cursor.line < line + len(chunk.lines)
        pieces = document.index(chunk) if here else document.pieces.get(id(chunk), [])
        for piece in pieces:
            inside = line <= cursor.line < line + len(piece.source)
            yield piece, _own_place(piece, cursor.line - line, cursor.col) if inside else -1
            line += len(piece.source)
        if not pieces:
            line += len(chunk.lines)


def _own_place(piece: Piece, line: int, col: int) -> int:
    """Where in a piece the words end that stand before the cursor, which is in this line of it."""
    start = sum(len(one) - one.endswith("\r\n") for one in piece.source[:line])
    base, _ = split_half(piece.text[max(0, start + col - _BACK) : start + col])
    return max(0, start + col - _BACK) + len(base.rstrip(" \t"))


def _cursor(text: Text, cursor: Place, max_lines: int) -> Cursor:
    base, half = split_half(text.preceding(cursor, _BACK))
    after = text.following(cursor, _AHEAD).split("\n")
    return Cursor(
        base=base,
        half=half,
        line_after=after[0].strip(),
        next_line=next((one.strip() for one in after[1:] if one.strip()), ""),
        max_lines=max_lines,
    )


def _note(found: dict[str, _Found], guess: str, match: int, *, meets: bool) -> None:
    known = found.setdefault(guess, _Found(0, 0, meets))
    known.match, known.count, known.meets = max(known.match, match), known.count + 1, known.meets or meets
