"""Both sides on the same items, in turn, so that what slows the machine down slows both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dg_bench.against_generate.cases import Case, Side
from dg_bench.against_generate.filled import Filled, as_generate_does
from dg_bench.against_generate.ours import Ours
from dg_bench.against_generate.theirs import Theirs
from dg_bench.items import Item
from dg_bench.progress import counted
from dg_bench.record import Row, row
from dg_engine.model import Model

SEVERAL = 3
"""Candidates that a request by hand asks for."""


def measure(
    ours: Model, theirs: Theirs, items: Sequence[Item], *, warm_up: int, passes: tuple[int, int]
) -> tuple[list[Case], Row]:
    """Fill all items on both sides; the first `warm_up` do not count.

    One pass is what a fill of the many `passes` takes more than one of the few, divided by the difference: encoding and set-up
    fall out. The row is of three candidates in one batch: its ratio is to three fills of one.
    """
    sides = _Sides(ours, theirs, passes)
    for number, item in enumerate(counted(items, "engine: fill")):
        sides.fill(item, number, counts=number >= warm_up)
    alone = SEVERAL * sum(sides.cold.ours.ms)
    ratio = round(sum(sides.several.ms) / alone, 4)
    return sides.cases, row(f"fill cold, {SEVERAL} candidates", "ours", "ms", sides.several.ms, ratio=ratio)


class _Sides:
    """The two sides, and what they came to so far."""

    def __init__(self, ours: Model, theirs: Theirs, passes: tuple[int, int]) -> None:
        self.ours, self.theirs, self.passes = Ours(ours), theirs, passes
        self.uniform = Ours(replace(ours, profile=as_generate_does(ours)))
        self.one_pass, self.cold = Case("pass"), Case("fill cold")
        self.cold_uniform, self.warm = Case("fill cold, uniform noise"), Case("fill warm")
        self.several = Side()
        """Three candidates in a batch."""

    @property
    def cases(self) -> list[Case]:
        return [self.one_pass, self.cold, self.cold_uniform, self.warm]

    def fill(self, item: Item, number: int, *, counts: bool) -> None:
        """One item in every case. Who goes first changes from item to item."""
        theirs_first = number % 2 == 1
        cold = _both(lambda: self.ours.fill(item, number), lambda: self.theirs.fill(item, number), theirs_first)
        warm = _both(
            lambda: self.ours.fill_after_key(item, number), lambda: self.theirs.fill_after_key(item, number), theirs_first
        )
        uniform = self.uniform.fill(item, number)
        several = self.ours.fill_several(SEVERAL, item, number)
        one = _both(lambda: self._pass(self.uniform, item, number), lambda: self._pass(self.theirs, item, number), theirs_first)
        if counts:
            self.one_pass.add(*one, item.gold)
            self.cold.add(*cold, item.gold)
            self.cold_uniform.add(uniform, cold[1], item.gold)
            self.warm.add(*warm, item.gold[1:])
            self.several.add(several, item.gold)

    def _pass(self, side: Ours | Theirs, item: Item, seed: int) -> Filled:
        few, many = (side.fill_in(passes, item, seed) for passes in self.passes)
        return replace(many, ms=(many.ms - few.ms) / (many.passes - few.passes))


def _both(ours: Callable[[], Filled], theirs: Callable[[], Filled], theirs_first: bool) -> tuple[Filled, Filled]:  # noqa: FBT001
    if theirs_first:
        their = theirs()
        return ours(), their
    return ours(), theirs()
