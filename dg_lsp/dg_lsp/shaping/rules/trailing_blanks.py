"""White space at the end of an answer is invisible and unwanted where the line ends there anyway."""

from __future__ import annotations

from dg_lsp.shaping.spot import Spot

NAME = "trailing-blanks"


def apply(text: str, spot: Spot) -> str:
    """`text` without white space at its end, unless the line goes on behind the cursor."""
    return text if spot.line_after.strip() else text.rstrip()
