"""Brackets outside strings and comments, by a scanner that knows just enough of most languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

OPENERS: Final = {"(": ")", "[": "]", "{": "}"}
CLOSERS: Final = frozenset(OPENERS.values())
_QUOTES: Final = ('"""', "'''", '"', "'", "`")


def brackets(text: str) -> Iterator[tuple[int, str]]:
    """Offsets and brackets that count. A one-line string that is not closed ends with its line."""
    position, quote = 0, ""
    while position < len(text):
        char = text[position]
        if quote:
            if char == "\\":
                position += 1
            elif text.startswith(quote, position):
                position += len(quote) - 1
                quote = ""
            elif char == "\n" and len(quote) == 1:
                quote = ""
        elif found := next((q for q in _QUOTES if text.startswith(q, position)), ""):
            quote = found
            position += len(found) - 1
        elif char == "#":
            position = _line_end(text, position) - 1
        elif char in OPENERS or char in CLOSERS:
            yield position, char
        position += 1


def open_closers(text: str) -> list[str]:
    """The closers that `text` still waits for, innermost last. A closer that fits nothing is passed over."""
    waiting: list[str] = []
    for _, char in brackets(text):
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
