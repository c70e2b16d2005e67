"""Columns in the units of a position encoding (UTF-8 bytes, UTF-16 words, UTF-32 code points) and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

KNOWN: Final[dict[str, Encoding]] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
_LAST_ONE_BYTE, _LAST_TWO_BYTES, _LAST_THREE_BYTES = 0x7F, 0x7FF, 0xFFFF


def choose(offered: Sequence[str] | None) -> Encoding:
    """The first encoding offered that we know; UTF-16, which every client speaks, when there is none."""
    return next((KNOWN[str(name)] for name in offered or () if str(name) in KNOWN), "utf-16")


def units(text: str, encoding: Encoding) -> int:
    """How many units `text` takes."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def column(line: str, character: int, encoding: Encoding) -> int:
    """The code-point column of unit `character` in `line`; the line's end when it lies behind it.

    A unit in the middle of a character counts as the character's start: an edit must never cut one in two.
    """
    if encoding == "utf-32" or line.isascii():
        return min(character, len(line))
    if character >= units(line, encoding):
        return len(line)
    left = character
    for col, char in enumerate(line):
        left -= _width(ord(char), encoding)
        if left < 0:
            return col
    return len(line)


def _width(code: int, encoding: Encoding) -> int:
    if encoding == "utf-16":
        return 2 if code > _LAST_THREE_BYTES else 1
    return 1 + (code > _LAST_ONE_BYTE) + (code > _LAST_TWO_BYTES) + (code > _LAST_THREE_BYTES)
