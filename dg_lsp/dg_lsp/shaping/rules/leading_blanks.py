"""Behind a blank the text does not begin with another one: models and people disagree on whose the blank between two words is."""

from __future__ import annotations

from dg_lsp.shaping.spot import Spot

NAME = "leading-blanks"


def apply(text: str, spot: Spot) -> str:
    """`text` without its first blanks where code and a blank stand before the cursor; pure indentation has a rule of its own."""
    line = spot.line_before
    return text.lstrip(" \t") if line.strip() and line.endswith((" ", "\t")) else text
