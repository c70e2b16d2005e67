"""Brackets outside strings and comments, by a scanner that knows just enough of most languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

OPENERS: Final = {"(": ")", "[": "]", "{": "}"}
CLOSERS: Final = frozenset(OPENERS.values())
_QUOTES: Final = ('"""', "'''", '"', "'", "`")
_OUTSIDE: Final = re.compile("|".join(map(re.escape, (*_QUOTES, "#", *OPENERS, *CLOSERS))))
_INSIDE: Final = {
    quote: re.compile(rf"\\.|{re.escape(quote)}" + ("|\n" if len(quote) == 1 else ""), re.DOTALL) for quote in _QUOTES
}
"""What matters in a string: escapes, its end, and where it is of one line the line's end too."""


def brackets(text: str) -> Iterator[tuple[int, str]]:
    """Offsets and brackets that count. A one-line string that is not closed ends with its line."""
    position, quote = 0, ""
    while (match := (_INSIDE[quote] if quote else _OUTSIDE).search(text, position)) is not None:
        position, found = match.end(), match.group()
        if quote:
            quote = quote if found.startswith("\\") else ""
        elif found in _QUOTES:
            quote = found
        elif found == "#":
            position = _line_end(text, position)
        else:
            yield match.start(), found


def open_closers(found: Iterable[tuple[int, str]]) -> list[str]:
    """The closers that these brackets still wait for, innermost last. A closer that fits nothing is passed over."""
    waiting: list[str] = []
    for _, char in found:
        if char in OPENERS:
            waiting.append(OPENERS[char])
        elif waiting and waiting[-1] == char:
            waiting.pop()
    return waiting


def missing_openers(text: str) -> list[str]:
    """The closers in `text` that nothing in it opens, in order."""
    waiting: list[str] = []
    loose: list[str] = []
    for _, char in brackets(text):
        if char in OPENERS:
            waiting.append(OPENERS[char])
        elif waiting:
            waiting.pop()
        else:
            loose.append(char)
    return loose


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
