"""The seam between the denoising loop and a network. These docstrings are the contract that every backbone keeps.

Shapes: B rows of a batch, C canvas positions, H hidden size, V vocabulary size, R rows, n tokens. Ids are int64 tensors on the
backbone's device. Canvas positions follow the slot's: the first is at position `len(slot)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from dg_engine.prefix.slot import Slot


class Backbone(Protocol):
    """A DiffusionGemma network. Not thread-safe: one thread owns it."""

    name: str
    """`own` or `reference`."""
    device: torch.device
    dtype: torch.dtype
    hidden_size: int
    vocabulary: int
    softcap: float | None
    """Cap of the final logits, applied by the token sampler: s · tanh(x / s), in fp32."""

    def new_slot(self) -> Slot:
        """An empty slot of this network's layer shapes."""

    def encode(self, ids: Tensor, slot: Slot, rows: int | None = None) -> Tensor:
        """Run ids [n] causally behind what the slot holds, append and commit their KV; returns last hidden states [n, H].

        `rows` asks for the states of the last so many ids only, 0 for none: most callers want nothing but the KV. In chunks or at
        once, the result is the same within 1e-4 in fp32. `slot.truncate` undoes a trial. n ≥ 1.
        """

    def refine(self, ids: Tensor, beliefs: Tensor, slots: Sequence[Slot], rows: int | None = None) -> Tensor:
        """One pass over canvases: ids [B, C] with soft embeddings [B, C, H] → last hidden states [B, C, H].

        `rows` asks for the first so many positions of each canvas only (the open ones).

        Every canvas position attends to its slot (sliding layers: the last window - 1 positions of it) and to the whole canvas.
        Writes nothing. `slots` has B entries; rows may share one by reference. Each slot holds at least one token.
        """

    def head(self, rows: Tensor) -> Tensor:
        """Hidden states [R, H] → logits [R, V] in fp32, before the softcap."""

    def embed(self, ids: Tensor) -> Tensor:
        """Ids [...] → scaled embeddings [..., H]: what a certain belief in these ids is."""

    def expect(self, probabilities: Tensor) -> Tensor:
        """Probabilities [R, V] → expected scaled embeddings [R, H]: what an uncertain belief is."""
