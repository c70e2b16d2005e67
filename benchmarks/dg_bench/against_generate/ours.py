"""Our side: the product's filler on our own backbone."""

from __future__ import annotations

import time
from dataclasses import replace

from dg_bench.against_generate.filled import Filled, exactly
from dg_bench.items import Item
from dg_engine.fill import Filler
from dg_engine.messages import FillJob
from dg_engine.model import Model
from dg_engine.steps import finish


class Ours:
    """Fills items with one model, a document that is seen for the first time or typed on."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._filler = Filler(model)

    def fill(self, item: Item, seed: int) -> Filled:
        """Cold: the document was never seen."""
        self._filler.slots.clear()
        return _timed(self._filler, item.prefix, item.suffix, seed)

    def fill_several(self, candidates: int, item: Item, seed: int) -> Filled:
        """Cold, so many candidates in one batch."""
        self._filler.slots.clear()
        return _timed(self._filler, item.prefix, item.suffix, seed, candidates)

    def fill_after_key(self, item: Item, seed: int) -> Filled:
        """Warm: after `fill` of the same item, one more character of what is missing was typed."""
        return _timed(self._filler, item.prefix + item.gold[0], item.suffix, seed)

    def fill_in(self, passes: int, item: Item, seed: int) -> Filled:
        """Cold, in exactly so many passes."""
        filler = Filler(replace(self.model, profile=exactly(self.model.profile, passes)))
        return _timed(filler, item.prefix, item.suffix, seed)


def _timed(filler: Filler, prefix: str, suffix: str, seed: int, candidates: int = 1) -> Filled:
    job = FillJob(id=1, document="bench", prefix=prefix, suffix=suffix, max_lines=1, seed=seed, candidates=candidates)
    started = time.perf_counter()
    completion = finish(filler.fill(job))
    ms = (time.perf_counter() - started) * 1000
    best = completion.candidates[0]
    return Filled(best.text, ms, best.passes)
