"""The index over open documents: kept up in the background piece by piece, asked at a request."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from dg_engine.messages import Guess
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Chunk, Text
from dg_lsp.guesses.continuation import Cursor, continuation
from dg_lsp.guesses.piece import LINES, RUNS, Piece, bit_of, parts_of, run_hash
from dg_lsp.guesses.words import WORD, first_filled, matched_words, split_half

MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Of all documents together; about ten bytes of index come to each."""
GUESSES: Final = 4
_BACK: Final = 600
"""Characters before the cursor that are compared."""
_AHEAD: Final = 400
_BREATH_SECONDS: Final = 0.004
"""Between two pieces in the background: a request that comes meanwhile takes several turns of the loop, and each must be a short one."""
_PAUSE_SECONDS: Final = 0.1
"""After the last change, before it is indexed: requests that follow it go first."""
_JUDGED_SECONDS: Final = 1.0
_COMPARED: Final = 200
"""Characters before the cursor that are compared: longer matches tell nothing more."""
_MEASURED: Final = 4
"""Places of one continuation whose match is measured; the others are counted."""
_PLACES: Final = 60
"""Places that are looked at, the nearest documents first."""
_MEETING: Final = 4
"""Words before the cursor that meeting what follows it is worth."""


@dataclass(slots=True)
class _Indexed:
    """One document: its newest text, and the index of chunks that it has or had. A change costs nothing before somebody looks."""

    group: str | None
    text: Text
    pieces: dict[int, tuple[Chunk, list[Piece]]] = field(default_factory=dict)
    """By id of the chunk, which is held so that no other gets its id."""
    judged: float = 0.0
    """When it was last found that it may be read (time.monotonic())."""
    indexed: Text | None = None
    """The text that `pieces` was last brought up to."""
    before: dict[tuple[str, ...], Piece] = field(default_factory=dict)
    """Pieces that belong to no chunk: of chunks that changes have replaced, most of which come again, and those that are being made."""

    def refresh(self) -> None:
        """Let go of chunks that the text does not hold any more."""
        if self.indexed is self.text:
            return
        self.indexed = self.text
        present = {id(chunk) for chunk in self.text.chunks}
        gone = [number for number in self.pieces if number not in present]
        if gone:
            self.before = {piece.source: piece for number in gone for piece in self.pieces.pop(number)[1]}

    def index(self, chunk: Chunk) -> list[Piece]:
        """The chunk's pieces, made where they are not there yet."""
        known = self.pieces.get(id(chunk))
        if known is None:
            known = self.pieces[id(chunk)] = chunk, [self.before.get(part) or Piece(part) for part in parts_of(chunk.lines)]
        return known[1]

    def missing(self) -> Chunk | None:
        """A chunk that is not indexed yet."""
        self.refresh()
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
        self._touched = 0.0
        """When something changed last (time.monotonic())."""

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
        if known is None:
            known = _Indexed(self._group_of(key), text)
            if text.count <= LINES:  # a piece: at once, so that what was just opened counts
                for chunk in text.chunks:
                    known.index(chunk)
        known.text, known.judged = text, time.monotonic()
        self._documents[key] = known
        while self.characters > MOST_CHARACTERS:  # the one that was touched longest ago
            del self._documents[next(iter(self._documents))]
        self._wake()

    def follow(self, key: str, text: Text) -> bool:
        """Take a change of a document that was judged to be readable within the last second; False: it has to be judged (again)."""
        known = self._documents.get(key)
        if known is None or time.monotonic() - known.judged > _JUDGED_SECONDS:
            return False
        known.text = text
        self._wake()
        return True

    def _wake(self) -> None:
        """Something has changed: index it once there is a pause."""
        self._touched = time.monotonic()
        if self._task is None or self._task.done():
            with contextlib.suppress(RuntimeError):  # no loop: whoever asks in a row calls `finish`
                loop = asyncio.get_running_loop()
                self._task = loop.create_task(self._work())

    def regroup(self) -> None:
        """Workspaces have changed."""
        for key, document in self._documents.items():
            document.group = self._group_of(key)

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

    def guesses(self, key: str, text: Text, cursor: Place, max_lines: int, *, ready: bool = False) -> list[Guess]:
        """Up to four different continuations at the cursor, the likeliest first; with `ready` from what is indexed already."""
        wanted = _cursor(text, cursor, max_lines)
        words = WORD.findall(wanted.base)
        for run in RUNS:
            found = self._look(key, cursor, wanted, words[-run:], ready=ready) if len(words) >= run else {}
            if found:
                break
        else:
            return []
        ranked = sorted(found.items(), key=lambda one: one[1].worth, reverse=True)[:GUESSES]
        total = sum(one.count for one in found.values())
        return [Guess(text=guess, match_length=one.match, count=one.count, of=total, meets=one.meets) for guess, one in ranked]

    def _look(self, key: str, cursor: Place, wanted: Cursor, words: list[str], *, ready: bool) -> dict[str, _Found]:
        """What follows each place where the run of words stands, nearest documents first."""
        found: dict[str, _Found] = {}
        wanted_key = run_hash(words)
        byte, bit = bit_of(wanted_key)
        left = _PLACES
        for pieces, own, own_place in self._documents_by_nearness(key, cursor, ready=ready):
            for piece in pieces:
                if not piece.maybe[byte] & bit:
                    continue
                for place in piece.places(len(words), wanted_key):
                    if piece is own and place == own_place:
                        continue
                    _take(found, wanted, piece, place)
                    left -= 1
                    if left == 0:
                        return found
        return found

    def _documents_by_nearness(
        self, key: str, cursor: Place, *, ready: bool
    ) -> Iterator[tuple[list[Piece], Piece | None, int]]:
        """The document's own pieces, then those of the others of its group, the one touched last before all.

        With the own ones comes the cursor's, and the place in it where the cursor's own words end.
        """
        mine = self._documents.get(key)
        if mine is not None:
            yield _own_pieces(mine, cursor, ready=ready)
        group = self._group_of(key)
        for name, one in reversed(self._documents.items()):
            if name != key and one.group == group:
                one.refresh()
                for _, pieces in one.pieces.values():
                    yield pieces, None, -1

    async def _work(self) -> None:
        """Index what is missing, a piece at a time, letting everything else go first."""
        while (left := self._touched + _PAUSE_SECONDS - time.monotonic()) > 0:  # noqa: ASYNC110 - not an event: time has to pass
            await asyncio.sleep(left)
        while (todo := self._next()) is not None:
            document, chunk = todo
            for part in parts_of(chunk.lines):
                if part not in document.before:
                    document.before[part] = Piece(part)
                await asyncio.sleep(_BREATH_SECONDS)
            if document.missing() is chunk:  # else it has changed meanwhile: what replaced it is next
                document.index(chunk)

    def _next(self) -> tuple[_Indexed, Chunk] | None:
        for document in self._documents.values():
            if (chunk := document.missing()) is not None:
                return document, chunk
        return None


def _own_pieces(document: _Indexed, cursor: Place, *, ready: bool) -> tuple[list[Piece], Piece | None, int]:
    """All that there are, unless `ready` the cursor's chunk indexed on the spot; the cursor's piece, and the place in it."""
    document.refresh()
    found: list[Piece] = []
    own, place, line = None, -1, 0
    for chunk in document.text.chunks:
        here = line <= cursor.line < line + len(chunk.lines)
        if here and (not ready or id(chunk) in document.pieces):
            start = line
            for piece in document.index(chunk):
                if start <= cursor.line < start + len(piece.source):
                    own, place = piece, _own_place(piece, cursor.line - start, cursor.col)
                start += len(piece.source)
        known = document.pieces.get(id(chunk))
        found += known[1] if known is not None else ()
        line += len(chunk.lines)
    return found, own, place


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
        next_line=first_filled(after[1:]),
        max_lines=max_lines,
    )


def _take(found: dict[str, _Found], wanted: Cursor, piece: Piece, place: int) -> None:
    """Note what goes on behind a place, if it could stand at the cursor."""
    went_on = continuation(wanted, piece.text, place)
    if went_on is not None:
        guess, meets = went_on
        known = found.get(guess)
        match = 0
        if known is None or known.count < _MEASURED:
            match = matched_words(wanted.open_ended[-_COMPARED:], piece.text[max(0, place - _COMPARED) : place])
        _note(found, guess, match, meets=meets)


def _note(found: dict[str, _Found], guess: str, match: int, *, meets: bool) -> None:
    known = found.setdefault(guess, _Found(0, 0, meets))
    known.match, known.count, known.meets = max(known.match, match), known.count + 1, known.meets or meets
