"""The KV of one document's prefix: what the encoder has seen, kept for the next keystroke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class LayerShape:
    """Heads and head size of one layer's keys and values."""

    kv_heads: int
    head_dim: int


class Slot:
    """Keys and values of every position of every layer, growing by doubling; `ids` says which tokens they belong to.

    A backbone writes with `append` once per layer and then `commit`s the ids: positions that were appended but not committed do
    not count, so that a chunk given up half-way leaves nothing behind.
    """

    def __init__(self, layers: Sequence[LayerShape], device: torch.device, dtype: torch.dtype) -> None:
        self.ids: list[int] = []
        self._shapes = tuple(layers)
        self._device = device
        self._dtype = dtype
        self._capacity = 0
        self._keys: list[Tensor] = []
        self._values: list[Tensor] = []

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """Memory held, in bytes, spare capacity included."""
        return sum(t.numel() * t.element_size() for t in (*self._keys, *self._values))

    def append(self, layer: int, keys: Tensor, values: Tensor) -> None:
        """Write keys and values [kv_heads, n, head_dim] of one layer behind the committed positions."""
        end = len(self.ids) + keys.shape[1]
        self.reserve(end)
        self._keys[layer][:, len(self.ids) : end] = keys
        self._values[layer][:, len(self.ids) : end] = values

    def commit(self, ids: Sequence[int]) -> None:
        """The positions appended to every layer now belong to these ids."""
        self.ids.extend(ids)

    def truncate(self, length: int) -> None:
        """Forget all positions from `length` on; the memory is kept for what comes next."""
        del self.ids[length:]

    def keys(self, layer: int, pending: int = 0) -> Tensor:
        """View [kv_heads, len + pending, head_dim] of one layer's keys; `pending` counts appended, uncommitted positions."""
        return self._keys[layer][:, : len(self.ids) + pending]

    def values(self, layer: int, pending: int = 0) -> Tensor:
        """View [kv_heads, len + pending, head_dim] of one layer's values."""
        return self._values[layer][:, : len(self.ids) + pending]

    def reserve(self, length: int) -> None:
        """Make room for `length` positions."""
        if length <= self._capacity:
            return
        capacity = max(64, self._capacity)
        while capacity < length:
            capacity *= 2
        self._keys = self._grown(self._keys, capacity)
        self._values = self._grown(self._values, capacity)
        self._capacity = capacity

    def _grown(self, old: list[Tensor], capacity: int) -> list[Tensor]:
        new = [
            torch.empty(shape.kv_heads, capacity, shape.head_dim, device=self._device, dtype=self._dtype)
            for shape in self._shapes
        ]
        for target, source in zip(new, old, strict=False):
            target[:, : len(self.ids)] = source[:, : len(self.ids)]
        return new
