"""The two sides of the engine suite: our filler, and transformers' `generate` on the same weights."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch

from dg_bench.items import Item
from dg_engine.backbone.reference import ReferenceBackbone
from dg_engine.fill import Filler
from dg_engine.messages import Completion, FillJob
from dg_engine.model import Model
from dg_engine.prefix.window import choose_window
from dg_engine.profiles.base import HoleSize, Profile
from dg_engine.text.answer import HoleText

NEVER = 1e-9
"""Mean entropy that no canvas reaches: such a run uses all its passes."""


@dataclass(frozen=True)
class Filled:
    """A text, the milliseconds it took, the passes it needed."""

    text: str
    ms: float
    passes: int


class Ours:
    """Our filler on our own backbone."""

    def __init__(self, folder: Path | None, threads: int | None, noise: Literal["profile", "uniform"] = "profile") -> None:
        self.model = Model.load(folder, backbone="own", device="cpu", dtype="float32", threads=threads)
        if noise == "uniform":
            sampler = replace(self.model.profile.sampler, acceptance_floor=False)
            self.model = replace(self.model, profile=replace(self.model.profile, noise="uniform", sampler=sampler))
        self._filler = Filler(self.model)

    def fill(self, item: Item) -> Filled:
        """Cold: the document was never seen."""
        self._filler.slots.clear()
        return _timed(self._filler, item.prefix, item.suffix)

    def fill_after_key(self, item: Item) -> Filled:
        """Warm: the first character of what is missing was typed, and the last request was at the place before it."""
        return _timed(self._filler, item.prefix + item.gold[:1], item.suffix)

    def passes(self, item: Item, count: int) -> float:
        """Milliseconds of a cold fill of exactly `count` passes."""
        profile = _exactly(self.model.profile, count)
        filler = Filler(replace(self.model, profile=profile))
        return _timed(filler, item.prefix, item.suffix).ms

    def ids(self, item: Item) -> list[int]:
        """What the loop commits, healed prefix and pins as in the product."""
        return loop_ids(self.model, item)


class Theirs:
    """transformers' `generate`, with a canvas of our length and the experts path that ours uses too."""

    def __init__(self, folder: Path | None, threads: int | None) -> None:
        self.model = Model.load(folder, backbone="reference", device="cpu", dtype="float32", threads=threads)
        assert isinstance(self.model.backbone, ReferenceBackbone)
        self._network = self.model.backbone.model
        size = self.model.profile.line
        self._network.config.canvas_length = self._canvas = size.hole + size.pins
        profile = self.model.profile
        self._hole = HoleText(self.model.tokenizer.vocabulary, profile.end_marks)

    def fill(self, item: Item) -> Filled:
        """With its own generation config; what stands before the canvas' first end mark or line break is the answer."""
        return self._generate(item.prefix)

    def fill_after_key(self, item: Item) -> Filled:
        """`generate` keeps nothing between calls."""
        return self._generate(item.prefix + item.gold[:1])

    def passes(self, item: Item, count: int) -> float:
        """Milliseconds of a call of exactly `count` steps."""
        return self._generate(item.prefix, max_denoising_steps=count, confidence_threshold=NEVER).ms

    def same_loop_ids(self, item: Item) -> list[int]:
        """Our loop on the reference backbone."""
        return loop_ids(self.model, item)

    def _generate(self, prefix: str, **settings: Any) -> Filled:
        torch.manual_seed(0)
        started = time.perf_counter()
        profile = self.model.profile
        budget = profile.max_context - len(profile.start_ids)
        ids = [*profile.start_ids, *choose_window(prefix, 0, budget, self.model.tokenizer.encode, None).ids]
        out = self._network.generate(torch.tensor([ids]), max_new_tokens=self._canvas, **settings)
        ms = (time.perf_counter() - started) * 1000
        answer = out.sequences[0, len(ids) :].tolist()
        text, _ = self._hole.text(answer, [0.0] * len(answer))
        kept = sum(token != 0 for token in answer)
        return Filled(text, ms, round(kept / float(out.tokens_per_forward[0])) if kept else 0)


def loop_ids(model: Model, item: Item) -> list[int]:
    """The ids of one fill, through the model's own filler."""
    completion = _completion(Filler(model), item.prefix, item.suffix)
    return model.tokenizer.encode(completion.candidates[0].text)


def _timed(filler: Filler, prefix: str, suffix: str) -> Filled:
    started = time.perf_counter()
    completion = _completion(filler, prefix, suffix)
    best = completion.candidates[0]
    return Filled(best.text, (time.perf_counter() - started) * 1000, best.passes)


def _completion(filler: Filler, prefix: str, suffix: str) -> Completion:
    generator = filler.fill(FillJob(id=1, document="bench", prefix=prefix, suffix=suffix, max_lines=1))
    while True:
        try:
            next(generator)
        except StopIteration as end:
            completion: Completion = end.value
            return completion


def _exactly(profile: Profile, count: int) -> Profile:
    line = HoleSize(hole=profile.line.hole, pins=profile.line.pins, passes=count)
    return replace(profile, line=line, stop=replace(profile.stop, confidence=NEVER))
