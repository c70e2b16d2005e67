"""Bring a slot up to a prefix: what it shares with the last one is reused, the rest is encoded in chunks."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import torch

from dg_engine.backbone.base import Backbone
from dg_engine.prefix.slot import Slot

CHUNK_CPU = 256
CHUNK_GPU = 512


@dataclass(frozen=True)
class Encoding:
    """How far the encoder is: tokens encoded for this job, tokens it found in the slot, tokens still to come."""

    encoded: int
    reused: int
    left: int


@torch.inference_mode()
def encode_prefix(backbone: Backbone, slot: Slot, ids: Sequence[int]) -> Generator[Encoding, None, Encoding]:
    """Make `slot` hold exactly `ids` (at least one); yields after each chunk: there a job can be stopped.

    Finished chunks stay, also when the generator is closed.
    """
    reused = common_prefix(slot.ids, ids)
    slot.truncate(reused)
    chunk = CHUNK_CPU if backbone.device.type == "cpu" else CHUNK_GPU
    for start in range(reused, len(ids), chunk):
        part = ids[start : start + chunk]
        backbone.encode(torch.tensor(part, dtype=torch.int64, device=backbone.device), slot, rows=0)
        done = start + len(part)
        yield Encoding(done - reused, reused, len(ids) - done)
    return Encoding(len(ids) - reused, reused, 0)


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Length of the longest common head."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))
