"""The encoder's own continuation of a prefix: one more start for a canvas, that sees one side only and is judged by both."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import torch

from dg_engine.backbone.base import Backbone
from dg_engine.prefix.encode import Encoding
from dg_engine.prefix.slot import Slot
from dg_engine.text.answer import HoleText


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
            logits = backbone.head(hidden[-1:])[0]
            if backbone.softcap is not None:
                logits = torch.tanh(logits / backbone.softcap) * backbone.softcap
            chances = torch.softmax(logits.masked_fill(banned[min(len(ids), len(banned) - 1)], -torch.inf), dim=-1)
            token = int(chances.argmax())
            ids.append(token)
            probabilities.append(float(chances[token]))
            if hole.is_over(ids):
                break
            yield Encoding(len(ids), length, most - len(ids))
    finally:
        slot.truncate(length)
    return Continuation(ids, probabilities)
