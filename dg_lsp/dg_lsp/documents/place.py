"""A place in a text, counted in lines and code points, and the text arithmetic that goes with it."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Line and column, both from 0; the column counts code points."""

    line: int
    col: int

    def after(self, text: str) -> Place:
        """The place behind `text` (LF line ends) when it is written here."""
        breaks = text.count("\n")
        if not breaks:
            return Place(self.line, self.col + len(text))
        return Place(self.line + breaks, len(text) - text.rindex("\n") - 1)


START = Place(0, 0)
NOWHERE = Place(-1, 0)
"""Before every place: an edit here is typing at none."""


def common_prefix(a: str, b: str) -> int:
    """How many characters `a` and `b` share at their start."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # bisection over slices compares in C, which a loop over characters does not
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: str, b: str) -> int:
    """How many characters `a` and `b` share at their end."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
