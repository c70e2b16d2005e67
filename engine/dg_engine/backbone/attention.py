"""What each position of our trunk attends to, causally for the encoder, both ways for the canvas.

Attention is scaled by 1: queries and keys are normed. Heads that share a key head are laid out as further queries of it, so that keys
are never repeated.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor

from dg_engine.loading.config import NetworkConfig
from dg_engine.prefix.slot import Slot

EVERY = slice(None)
"""All positions are wanted."""

Attend = Callable[[Tensor, Tensor, Tensor, slice], Tensor]
"""Queries [B, q, heads, d] of the wanted positions, keys and values [B, n, kv_heads, d] of all new ones, which positions are wanted
→ [B, q, heads · d]."""


class CausalAttention:
    """The encoder's: each of `count` new positions sees itself and what came before, in sliding layers `window` positions in all."""

    def __init__(self, slot: Slot, network: NetworkConfig, count: int) -> None:
        self._slot, self._network, self._count, self._start = slot, network, count, len(slot)
        self._masks: dict[bool, Tensor | None] = {}

    def of(self, number: int) -> Attend:
        """That of one layer; writes the new keys and values into the slot."""
        sliding = self._network.layers[number].sliding
        first = max(0, self._start - self._network.window + 1) if sliding else 0

        def attend(query: Tensor, key: Tensor, value: Tensor, wanted: slice) -> Tensor:
            self._slot.append(number, key[0].transpose(0, 1), value[0].transpose(0, 1))
            keys = self._slot.keys(number, self._count)[None, :, first:]
            values = self._slot.values(number, self._count)[None, :, first:]
            if self._start == 0 and wanted == EVERY and (not sliding or self._count <= self._network.window):
                return _triangular(query, keys, values)
            mask = self._mask(query, first, sliding=sliding)
            return _folded(query, keys, values, mask if mask is None else mask[wanted])

        return attend

    def _mask(self, query: Tensor, first: int, *, sliding: bool) -> Tensor | None:
        """0 where a new position sees a key, else -inf [n, keys]; None where one position sees all. Made once for each kind of layer."""
        if sliding not in self._masks:
            rows = torch.arange(self._start, self._start + self._count, device=query.device)[:, None]
            columns = torch.arange(first, self._start + self._count, device=query.device)
            hidden = columns > rows
            if sliding:
                hidden |= columns <= rows - self._network.window
            mask = torch.zeros(hidden.shape, dtype=query.dtype, device=query.device).masked_fill_(hidden, -torch.inf)
            self._masks[sliding] = None if self._count == 1 else mask
        return self._masks[sliding]


class CanvasAttention:
    """The canvas': every position sees the whole canvas and the prefix, in sliding layers its last window - 1 positions."""

    def __init__(self, slot: Slot, network: NetworkConfig) -> None:
        self._slot, self._network = slot, network

    def of(self, number: int) -> Attend:
        """That of one layer; commits nothing."""
        sliding = self._network.layers[number].sliding
        first = max(0, len(self._slot) - self._network.window + 1) if sliding else 0

        def attend(query: Tensor, key: Tensor, value: Tensor, wanted: slice) -> Tensor:
            del wanted  # every position sees the same
            keys, values = self._keys_and_values(number, first, key.transpose(1, 2), value.transpose(1, 2))
            return _folded(query, keys, values, None)

        return attend

    def _keys_and_values(self, number: int, first: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        batch, count, slot = key.shape[0], key.shape[2], self._slot
        if batch == 1:  # behind the prefix, in the slot's spare room: no copy of the prefix, and nothing is committed
            slot.append(number, key[0], value[0])
            return slot.keys(number, count)[None, :, first:], slot.values(number, count)[None, :, first:]
        before = (x[None, :, first:].expand(batch, -1, -1, -1) for x in (slot.keys(number), slot.values(number)))
        keys, values = (torch.cat([old, new], dim=2) for old, new in zip(before, (key, value), strict=True))
        return keys, values


def _triangular(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Queries [B, n, heads, d] over exactly their own positions' keys, each up to its own: no mask, and half the work is skipped."""
    batch, count, heads, dim = query.shape
    groups = heads // keys.shape[1]
    keys, values = keys.repeat_interleave(groups, dim=1), values.repeat_interleave(groups, dim=1)
    out = F.scaled_dot_product_attention(query.transpose(1, 2), keys, values, is_causal=True, scale=1.0)
    return out.transpose(1, 2).reshape(batch, count, heads * dim)


def _folded(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """Queries [B, q, heads, d] over keys and values [B, kv_heads, K, d], mask [q, K] → [B, q, heads · d]."""
    batch, count, heads, dim = query.shape
    kv = keys.shape[1]
    groups = heads // kv
    folded = query.view(batch, count, kv, groups, dim).permute(0, 2, 3, 1, 4).reshape(batch, kv, groups * count, dim)
    repeated = mask.repeat(groups, 1) if mask is not None else None
    out = F.scaled_dot_product_attention(folded, keys, values, attn_mask=repeated, scale=1.0)
    return out.view(batch, kv, groups, count, dim).permute(0, 3, 1, 2, 4).reshape(batch, count, heads * dim)
