"""An answer ends after as many lines as were asked for."""

from __future__ import annotations

from dg_lsp.shaping.spot import Spot

NAME = "max-lines"


def apply(text: str, spot: Spot) -> str:
    """The first lines of `text`; a line break at its start counts, as the model begins a block with it."""
    lines = text.split("\n")
    return "\n".join(lines[: spot.max_lines]) if len(lines) > spot.max_lines else text
