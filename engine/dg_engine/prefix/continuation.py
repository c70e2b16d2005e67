"""The encoder's own continuation of a prefix: one more start for a canvas, that sees one side only and is judged by both."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import torch

from dg_engine.backbone.base import Backbone
from dg_engine.prefix.encode import Encoding
from dg_engine.prefix.slot import Slot
from dg_engine.text.answer import HoleText
from dg_kernels.token_sampler import sample_tokens


@dataclass(frozen=True)
class Continuation:
    """Ids [n] up to the hole's end, the one that ends it included if it came to that, and their probabilities."""

    ids: list[int]
    probabilities: list[float]


@torch.inference_mode()
def continue_prefix(
    backbone: Backbone, slot: Slot, banned: torch.Tensor, hole: HoleText, most: int
) -> Generator[Encoding, None, Continuation]:
    """The likeliest next id, again and again, at most `most` times; the slot holds what it held when this ends, however it ends.

    `banned` [R, V] is true for ids that the hole's rows must not hold: row i is for the ith id. Yields after each id: there a job can
    be stopped. The slot holds at least one token.
    """
    length = len(slot)
    ids: list[int] = []
    probabilities: list[float] = []
    token = slot.ids[-1]
    slot.truncate(length - 1)
    try:
        while len(ids) < most:
            hidden = backbone.encode(torch.tensor([token], device=backbone.device), slot)
            row = banned[min(len(ids), len(banned) - 1)]
            sample = sample_tokens(
                backbone.head(hidden[-1:]), temperature=1.0, exponential=None, softcap=backbone.softcap, banned=row
            )
            token = int(sample.argmax)
            ids.append(token)
            probabilities.append(float(sample.confidence))
            if hole.is_over(ids):
                break
            yield Encoding(len(ids), length, most - len(ids))
    finally:
        slot.truncate(length)
    return Continuation(ids, probabilities)
