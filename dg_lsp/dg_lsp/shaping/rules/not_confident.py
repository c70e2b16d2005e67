"""What the model itself does not believe is not shown."""

from __future__ import annotations

from dg_lsp.shaping.spot import Spot

NAME = "not-confident"


def apply(text: str, spot: Spot) -> str:
    """Nothing when the confidence is below the threshold."""
    return "" if spot.confidence < spot.threshold else text
