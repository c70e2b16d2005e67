"""White space alone is no suggestion: it would swallow Tab."""

from __future__ import annotations

from dg_lsp.shaping.spot import Spot

NAME = "blank"


def apply(text: str, spot: Spot) -> str:  # noqa: ARG001 - all rules share one signature
    """Nothing when `text` is blank."""
    return text if text.strip() else ""
