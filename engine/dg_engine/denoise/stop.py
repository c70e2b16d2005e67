"""When a hole is done: it says the same as in the passes before, and is sure of it."""

from __future__ import annotations

from collections import deque

import torch
from torch import Tensor


class StableAndConfident:
    """The stop test of one canvas. Rows behind the hole's end mark do not count."""

    def __init__(self, stability: int, confidence: float) -> None:
        """`stability`: how many earlier passes must agree; `confidence`: mean entropy in nats that must be undercut."""
        self._history: deque[list[int]] = deque(maxlen=stability)
        self._stability = stability
        self._confidence = confidence

    def expect(self, argmax: list[int]) -> None:
        """Count these ids as what an earlier pass has said: a guess that the first pass agrees with is done then."""
        self._history.append(argmax)

    def __call__(self, argmax: list[int], entropy: Tensor, end: int) -> bool:
        """Ids and entropies [R] of this pass; rows below `end` belong to the text, its end mark included."""
        text = argmax[:end]
        stable = len(self._history) == self._stability and all(past == text for past in self._history)
        self._history.append(text)
        return stable and bool(torch.mean(entropy[:end]) < self._confidence)
