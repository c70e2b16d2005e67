"""What the rest of the cursor's line says already is not said twice."""

from __future__ import annotations

import re
from typing import Final

from dg_lsp.shaping.spot import Spot

NAME = "repeats-line"
_EDGE: Final = re.compile(r"\w\w")


def apply(text: str, spot: Spot) -> str:
    """`text` without an end that equals the start of the rest of the line."""
    rest, kept = spot.line_after.strip(), text.rstrip()
    if not rest or not kept:
        return text
    for length in range(min(len(rest), len(kept)), 0, -1):
        if kept.endswith(rest[:length]) and _whole_tokens(kept, rest, length):
            return _cut(kept[:-length], spot.line_after)
    return text


def _whole_tokens(kept: str, rest: str, length: int) -> bool:
    """The overlap neither begins nor ends inside a word: `a` before `and` is no repetition."""
    begins_inside = length < len(kept) and _EDGE.fullmatch(kept[-length - 1 : len(kept) - length + 1]) is not None
    ends_inside = length < len(rest) and _EDGE.fullmatch(rest[length - 1 : length + 1]) is not None
    return not begins_inside and not ends_inside


def _cut(text: str, line_after: str) -> str:
    """The blank that stands behind the cursor already is not doubled either."""
    return text.rstrip(" \t") if line_after[:1] in (" ", "\t") else text
