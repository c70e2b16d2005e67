"""Inside indentation no further level is offered: Tab would accept a suggestion that a user wanted to type with Tab."""

from __future__ import annotations

from dg_lsp.shaping import indentation
from dg_lsp.shaping.spot import Spot

NAME = "inner-indentation"


def apply(text: str, spot: Spot) -> str:
    """`text` without the levels that it begins with."""
    if not spot.line_before or spot.line_before.strip():
        return text
    unit = indentation.of(spot.before + spot.after).unit
    while text.startswith(unit):
        text = text[len(unit) :]
    return text
