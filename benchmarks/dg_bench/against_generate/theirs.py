"""Their side: transformers' `generate`, with the prompt, canvas length and experts path that ours uses too."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch import Tensor
from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS

from dg_bench.against_generate.filled import Filled, canvas_length
from dg_bench.items import Item
from dg_engine.backbone.experts import DENSE_AT_MOST, grouped
from dg_engine.backbone.reference import ReferenceBackbone
from dg_engine.model import Model
from dg_engine.prefix.window import choose_window
from dg_engine.text.answer import HoleText

GROUPED_EXPERTS = "dg_grouped"
"""Our grouped path under transformers' interface, for networks with many experts; the dense one is the backbone's choice for few."""


class Theirs:
    """Fills items with `generate` and the folder's own generation config. It has no pins and keeps nothing between calls."""

    def __init__(self, model: Model) -> None:
        """`model` has the backbone `reference`."""
        assert isinstance(model.backbone, ReferenceBackbone)
        self.model = model
        self.network = model.backbone.model
        if model.folder.network.experts > DENSE_AT_MOST:
            self.network.set_experts_implementation(GROUPED_EXPERTS)
        self._hole = HoleText(model.tokenizer.vocabulary, model.profile.end_marks)
        self._passes = 0
        self.network.model.decoder.register_forward_pre_hook(self._count)

    def fill(self, item: Item, seed: int) -> Filled:
        """With its own stop rule; what stands before the canvas' first end mark or line break is the answer."""
        return self._timed(item, item.prefix, seed)

    def fill_after_key(self, item: Item, seed: int) -> Filled:
        """The same with one more character of what is missing."""
        return self._timed(item, item.prefix + item.gold[0], seed)

    def fill_in(self, passes: int, item: Item, seed: int) -> Filled:
        """In exactly so many passes: none has as many before it to agree with."""
        return self._timed(item, item.prefix, seed, max_denoising_steps=passes, stability_threshold=passes)

    def prompt(self, prefix: str) -> list[int]:
        """The ids that our window gives for a document seen for the first time, the start ids before them."""
        profile = self.model.profile
        budget = profile.max_context - len(profile.start_ids)
        return [*profile.start_ids, *choose_window(prefix, 0, budget, self.model.tokenizer.encode, None).ids]

    def canvas(self, ids: list[int], seed: int, length: int, **settings: Any) -> list[int]:
        """What `generate` puts behind ids: one canvas."""
        self.network.config.canvas_length = length
        torch.manual_seed(seed)
        out = self.network.generate(torch.tensor([ids]), max_new_tokens=length, **settings)
        canvas: list[int] = out.sequences[0, len(ids) :].tolist()
        return canvas

    def _timed(self, item: Item, prefix: str, seed: int, **settings: Any) -> Filled:
        length, self._passes = canvas_length(self.model, item), 0
        started = time.perf_counter()
        canvas = self.canvas(self.prompt(prefix), seed, length, **settings)
        ms = (time.perf_counter() - started) * 1000
        text, _ = self._hole.text(canvas, [0.0] * len(canvas))
        return Filled(text, ms, self._passes)

    def _count(self, _module: Any, _arguments: Any) -> None:
        self._passes += 1


def _grouped_experts(module: Any, hidden: Tensor, index: Tensor, weights: Tensor) -> Tensor:
    """Hidden [T, H], index and weights [T, k] → [T, H]."""
    return grouped(hidden, weights, index, module.gate_up_proj, module.down_proj)


ALL_EXPERTS_FUNCTIONS.register(GROUPED_EXPERTS, _grouped_experts)
