"""The temperature of each pass."""

from __future__ import annotations

import torch


def temperature(pass_: int, passes: int, first: float, last: float) -> float:
    """Temperature of pass 1 … passes: falls linearly from `first` towards `last`, reaching it one pass after the end.

    That is the schedule DiffusionGemma's generation uses, t = last + (first - last) · remaining / passes, in fp32 as there: a
    double would differ in the last bit, and so would the logits.
    """
    remaining = torch.tensor(passes - pass_ + 1, dtype=torch.int32)
    return float(last + (first - last) * (remaining / passes))
