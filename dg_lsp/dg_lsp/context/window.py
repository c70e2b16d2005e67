"""The text before and after the cursor that goes into a job, cut so that typing does not move its start."""

from __future__ import annotations

from typing import Final

from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text

PREFIX_LIMIT: Final = 24_000
"""Characters before the cursor."""
SUFFIX_LIMIT: Final = 6_000
STEP: Final = 8_000
"""Characters that the window's start moves by, at least; a cut prefix is never shorter than the limit less two steps."""


def suffix(text: Text, place: Place) -> str:
    """What follows the cursor, LF only."""
    return text.following(place, SUFFIX_LIMIT)


class PrefixWindow:
    """Where one document's prefix starts: kept while it serves, else moved to the next block boundary of a coarse grid.

    The engine keeps the encoded prefix by its start: one that moved with every key would cost a full encoding each.
    """

    def __init__(self) -> None:
        self._start = 0

    def cut(self, text: Text, place: Place) -> tuple[int, str]:
        """The start (characters into the LF text) and the prefix from there to `place`, LF only."""
        offset = text.lf_offset(place)
        if not self._serves(text, offset):
            self._start = _start(text, offset)
        start = text.place_at(self._start)
        return self._start, text.following(start, offset - self._start)

    def _serves(self, text: Text, offset: int) -> bool:
        length = offset - self._start
        if self._start == 0:
            return 0 <= length <= PREFIX_LIMIT
        at_line_start = text.place_at(self._start).col == 0  # text above may have changed
        return PREFIX_LIMIT - 2 * STEP <= length <= PREFIX_LIMIT and at_line_start


def _start(text: Text, offset: int) -> int:
    """The first block boundary at or behind a multiple of the step that leaves a prefix within the limit."""
    if offset <= PREFIX_LIMIT:
        return 0
    least = -(-(offset - PREFIX_LIMIT) // STEP) * STEP
    line_start: int | None = None
    place = text.place_at(least)
    position = least - place.col
    for line in range(place.line, text.count):
        if position > offset - STEP:
            break
        if position >= least:
            line_start = position if line_start is None else line_start
            if _opens_block(text, line):
                return position
        position += len(text.line(line)) + 1
    return line_start if line_start is not None else least


def _opens_block(text: Text, line: int) -> bool:
    """A line that is not indented, behind a blank one."""
    return text.line(line)[:1].strip() != "" and (line == 0 or not text.line(line - 1).strip())
