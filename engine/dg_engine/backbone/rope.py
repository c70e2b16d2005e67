"""Rotary position tables, made once and grown as positions are asked for (RoFormer, arXiv 2104.09864)."""

from __future__ import annotations

import torch
from torch import Tensor

from dg_engine.loading.config import Rope


class RopeTable:
    """Cosines and signed sines [position, head_dim] of one kind of layer."""

    def __init__(self, rope: Rope, head_dim: int, device: torch.device, dtype: torch.dtype) -> None:
        self._frequencies = _frequencies(rope, head_dim).to(device)
        self._dtype = dtype
        self._cos = self._sin = torch.empty(0, head_dim, device=device, dtype=dtype)

    def __call__(self, start: int, count: int) -> tuple[Tensor, Tensor]:
        """Rows of positions start … start + count - 1, shaped [count, 1, head_dim] so that they spread over heads."""
        if start + count > len(self._cos):
            self._grow(max(1024, 2 * (start + count)))
        rows = slice(start, start + count)
        return self._cos[rows, None], self._sin[rows, None]

    def _grow(self, length: int) -> None:
        positions = torch.arange(length, device=self._frequencies.device, dtype=torch.float32)
        angles = positions[:, None] * self._frequencies
        self._cos = torch.cat([angles.cos(), angles.cos()], dim=-1).to(self._dtype)
        self._sin = torch.cat([-angles.sin(), angles.sin()], dim=-1).to(self._dtype)


def rotate(heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate [..., positions, heads, head_dim]; the first half of `sin` is negative, which makes a roll of half-rotation."""
    return heads * cos + heads.roll(heads.shape[-1] // 2, -1) * sin


def _frequencies(rope: Rope, head_dim: int) -> Tensor:
    """[head_dim / 2] fp32. Proportional: exponents over the whole head, only the first share of them turns."""
    if not rope.proportional:
        return 1.0 / (rope.theta ** (torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim))
    turning = int(rope.partial * head_dim // 2)
    first = 1.0 / (rope.theta ** (torch.arange(0, 2 * turning, 2, dtype=torch.float32) / head_dim))
    return torch.cat([first, torch.zeros(head_dim // 2 - turning)])
