"""The index of one piece of a document: where every run of four, and of two, words ends."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from dg_lsp.documents import lines
from dg_lsp.guesses.words import WORD

RUNS: Final = (4, 2)
"""Lengths of the runs that are looked up, the longer one first."""

LINES: Final = 96
"""Of a piece: so much is indexed anew for an edit inside a line, in one or two milliseconds."""

_MASK: Final = 0x7FF
_NOWHERE: Final = array("L")


def run_hash(words: Sequence[str]) -> int:
    """The key of a run of words, within this process."""
    return hash(tuple(words))


class Piece:
    """Immutable, like the lines that it is made from: an edit makes one new piece and leaves all others."""

    __slots__ = ("_ends", "_keys", "maybe", "source", "text")

    def __init__(self, source: tuple[str, ...]) -> None:
        """`source`: some lines with their ends."""
        self.source = source
        self.text = lines.to_lf("".join(source))
        words = WORD.findall(self.text)
        ends = [match.end() for match in WORD.finditer(self.text)]
        self._keys: dict[int, array[int]] = {}
        self._ends: dict[int, array[int]] = {}
        for run in RUNS:
            hashes = list(map(hash, zip(*(islice(words, first, None) for first in range(run)), strict=False)))
            order = sorted(range(len(hashes)), key=hashes.__getitem__)
            self._keys[run] = array("q", (hashes[i] for i in order))
            self._ends[run] = array("L", (ends[i + run - 1] for i in order))
        self.maybe = _bitmap(self._keys.values())
        """Where the bit of a key (`bit_of`) is not set, there is no such run: most pieces are passed over at this look."""

    def places(self, run: int, key: int) -> array[int]:
        """Offsets in `text` behind each run of words with this key."""
        keys = self._keys[run]
        first = bisect_left(keys, key)
        if first == len(keys) or keys[first] != key:
            return _NOWHERE
        return self._ends[run][first : bisect_right(keys, key, first)]


def bit_of(key: int) -> tuple[int, int]:
    """The place of a key's bit in a piece's bitmap: which byte, and the bit in it."""
    return key >> 3 & _MASK, 1 << (key & 7)


def _bitmap(keys: Iterable[array[int]]) -> bytearray:
    """One bit for the low 14 of each key: most pieces do not hold a key, and saying so must cost next to nothing."""
    bits = bytearray(_MASK + 1)
    for some in keys:
        for key in some:
            bits[key >> 3 & _MASK] |= 1 << (key & 7)
    return bits


def parts_of(source: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The lines of a chunk's pieces."""
    return [source[first : first + LINES] for first in range(0, len(source), LINES)]
