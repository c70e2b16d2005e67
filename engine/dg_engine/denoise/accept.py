"""Which of a pass's samples are kept: the surest ones, as far as they are nearly independent of each other."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def accept(entropy: Tensor, bound: float, floor: int = 0) -> Tensor:
    """Entropies [B, R] in nats → mask [B, R] of accepted rows.

    Rows are taken in order of entropy while the sum minus the largest is at most `bound`: that sum bounds the information the
    rows share (Ben-Hamu et al., arXiv 2505.24857). `floor` rows are taken in any case.
    """
    ordered, order = torch.sort(entropy, dim=-1)
    keep = ordered.cumsum(dim=-1) - ordered <= bound
    if floor > 0:
        keep[..., :floor] = True
    return torch.zeros_like(keep).scatter(-1, order, keep)


def acceptance_floor(open_rows: int, passes_left: int) -> int:
    """Rows that a pass must keep so that the hole is full when the passes run out; `passes_left` includes this one."""
    return math.ceil(open_rows / max(1, passes_left))
