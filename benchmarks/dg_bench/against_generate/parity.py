"""Whether both sides compute the same before either is timed: same draws, same canvas, id for id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dg_bench.against_generate.filled import as_generate_does, canvas_length
from dg_bench.against_generate.ours import Ours
from dg_bench.against_generate.theirs import Theirs
from dg_bench.items import Item
from dg_engine.denoise.canvas import make_canvas
from dg_engine.denoise.loop import denoise
from dg_engine.model import Model
from dg_engine.prefix.encode import encode_prefix
from dg_engine.steps import finish


class TransformersNoise:
    """Draws from torch's global generator in the order and shapes that `generate` uses: one canvas, all rows open."""

    def tokens(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:  # noqa: ARG002 - the order of calls is the key
        """Ids [1, R]."""
        return torch.randint(0, vocabulary, (1, len(positions)))

    def exponential(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:  # noqa: ARG002
        """Exp(1) noise [1, R, V]."""
        return torch.empty(len(positions), vocabulary).exponential_()[None]


def disagreement(ours: Model, theirs: Theirs, items: Sequence[Item]) -> str | None:
    """The first item on which the sides differ, and how; None when they never do.

    On each: our loop as `generate` runs it commits the canvas that `generate` commits; and the product's fill, with its own
    noise and pins, writes the same text on our backbone and on transformers'.
    """
    product, twin = Ours(ours), Ours(theirs.model)
    for seed, item in enumerate(items):
        mine, other = (
            loop_canvas(ours, theirs.prompt(item.prefix), seed, canvas_length(ours, item)),
            _generated(theirs, item, seed),
        )
        if (mine := as_committed(mine, theirs.network.generation_config)) != other:
            return f"at {item.name} our loop commits {mine}, generate {other}."
        text, twin_text = product.fill(item, seed).text, twin.fill(item, seed).text
        if text != twin_text:
            return f"at {item.name} our backbone writes {text!r}, transformers' {twin_text!r}."
    return None


def loop_canvas(model: Model, ids: Sequence[int], seed: int, length: int) -> list[int]:
    """Our loop in the terms of `generate`: everything open, the folder's generation config, transformers' draws."""
    backbone, profile = model.backbone, as_generate_does(model)
    slot = backbone.new_slot()
    finish(encode_prefix(backbone, slot, ids))
    canvas = make_canvas(length, [], control=None, first_allowed=[], device=backbone.device)
    torch.manual_seed(seed)
    passes = list(denoise(backbone, [slot], canvas, profile, TransformersNoise(), passes=profile.line.passes))
    return passes[-1].rows[0].ids


def as_committed(ids: list[int], config: Any) -> list[int]:
    """Our ids as `generate` hands them out: pads behind the first end of sequence."""
    ends = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
    end = next((row + 1 for row, id_ in enumerate(ids) if id_ in ends), len(ids))
    return ids[:end] + [config.pad_token_id] * (len(ids) - end)


def _generated(theirs: Theirs, item: Item, seed: int) -> list[int]:
    return theirs.canvas(theirs.prompt(item.prefix), seed, canvas_length(theirs.model, item))
