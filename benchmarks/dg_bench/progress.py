"""How far a suite is, on stderr: one line that is overwritten on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def counted(things: Sequence[T], what: str, every: int = 10) -> Iterator[T]:
    """The things, counted as they are taken."""
    terminal = sys.stderr.isatty()
    for number, thing in enumerate(things, start=1):
        if terminal:
            sys.stderr.write(f"\r{what} {number} of {len(things)}")
        elif number % every == 0 or number == len(things):
            sys.stderr.write(f"{what} {number} of {len(things)}\n")
        sys.stderr.flush()
        yield thing
    if terminal:
        sys.stderr.write("\n")


def say(sentence: str) -> None:
    """A line of its own."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
