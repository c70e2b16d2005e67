"""Line ends are LF: clients convert them to the document's own."""

from __future__ import annotations

from dg_lsp.documents.lines import to_lf
from dg_lsp.shaping.spot import Spot

NAME = "lf-only"


def apply(text: str, spot: Spot) -> str:  # noqa: ARG001 - all rules share one signature
    """`text` with LF only."""
    return to_lf(text)
