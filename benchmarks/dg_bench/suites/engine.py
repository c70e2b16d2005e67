"""Our loop against transformers' `generate`, in one run: same weights, same experts path, same prefix, canvas length and threads."""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any

from dg_bench.items import Item, exact, items, similarity
from dg_bench.record import Row, row

TITLE = "our denoising loop against transformers' generate"
BUDGET = 0.25
"""Of a cold single-line fill, ours / theirs."""
SLACK = 0.02
"""By so much our similarity may be below theirs for the ratio to count."""
WARM_UP = 3
PASSES = (1, 5)
"""A pass is the difference between so many passes, divided by the difference in number: encoding and set-up fall out."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The suite's options."""
    parser.add_argument("--fills", type=int, default=50, help="holes to fill (default 50)")
    parser.add_argument("--seed", type=int, default=0, help="which holes (default 0)")
    parser.add_argument("--threads", type=int, help="CPU threads of both sides (default: torch's choice)")
    parser.add_argument("--model", type=Path, help="model folder (default: the built-in starter)")


def verify(options: argparse.Namespace) -> str | None:
    """Both backbones give the same ids on holes like those that are timed."""
    from dg_bench.sides import Ours, Theirs  # noqa: PLC0415 - brings torch and transformers

    ours, theirs = Ours(options.model, options.threads), Theirs(options.model, options.threads)
    for item in items(3, options.seed + 1):
        mine, other = ours.ids(item), theirs.same_loop_ids(item)
        if mine != other:
            return f"own and reference backbone disagree at {item.name}"
    return None


def measure(options: argparse.Namespace) -> list[Row]:
    """Times of both sides, item by item in turn, and what they wrote."""
    from dg_bench.sides import Ours, Theirs  # noqa: PLC0415 - brings torch and transformers

    holes = items(options.fills + WARM_UP, options.seed)
    ours, theirs = Ours(options.model, options.threads), Theirs(options.model, options.threads)
    uniform = Ours(options.model, options.threads, noise="uniform")
    taken = _Taken()
    for number, item in enumerate(holes):
        sys.stderr.write(f"\rengine: fill {number + 1} of {len(holes)}")
        one = _one(item, ours, uniform, theirs)
        if number >= WARM_UP:
            taken.add(one)
    sys.stderr.write("\n")
    return _rows(taken)


class _Taken:
    """Values by name, in the order of the items."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    def add(self, one: dict[str, float]) -> None:
        for name, value in one.items():
            self.values.setdefault(name, []).append(value)

    def ratio(self, name: str) -> float:
        """Of sums, ours / theirs: what a user waits in all."""
        return round(sum(self.values[f"{name} ours"]) / sum(self.values[f"{name} theirs"]), 4)

    def row(self, case: str, figure: str, unit: str = "ms", **more: Any) -> Row:
        return row(case, figure, unit, self.values[f"{case} {figure}"], **more)


def _one(item: Item, ours: object, uniform: object, theirs: object) -> dict[str, float]:
    from dg_bench.sides import Ours, Theirs  # noqa: PLC0415 - brings torch and transformers

    assert isinstance(ours, Ours)
    assert isinstance(uniform, Ours)
    assert isinstance(theirs, Theirs)
    cold, their_cold = ours.fill(item), theirs.fill(item)
    warm, their_warm = ours.fill_after_key(item), theirs.fill_after_key(item)
    noisy = uniform.fill(item)
    span = PASSES[1] - PASSES[0]
    one = {
        "fill cold ours": cold.ms,
        "fill cold theirs": their_cold.ms,
        "fill cold, uniform noise ours": noisy.ms,
        "fill cold, uniform noise theirs": their_cold.ms,
        "fill warm ours": warm.ms,
        "fill warm theirs": their_warm.ms,
        "pass ours": (uniform.passes(item, PASSES[1]) - uniform.passes(item, PASSES[0])) / span,
        "pass theirs": (theirs.passes(item, PASSES[1]) - theirs.passes(item, PASSES[0])) / span,
        "passes ours": float(cold.passes),
        "passes theirs": float(their_cold.passes),
    }
    for side, text in (("ours", cold.text), ("theirs", their_cold.text), ("ours, uniform noise", noisy.text)):
        one[f"similarity {side}"] = similarity(text, item.gold)
        one[f"exact {side}"] = float(exact(text, item.gold))
    return one


def _rows(taken: _Taken) -> list[Row]:
    rows: list[Row] = []
    for case in ("pass", "fill cold", "fill cold, uniform noise", "fill warm"):
        more = _judged(taken) if case == "fill cold" else {}
        rows += [taken.row(case, "ours", ratio=taken.ratio(case), **more), taken.row(case, "theirs")]
    for case, unit in (("passes", "passes"), ("similarity", "share"), ("exact", "share")):
        rows += [taken.row(case, side, unit) for side in ("ours", "theirs")]
    rows += [taken.row(case, "ours, uniform noise", "share") for case in ("similarity", "exact")]
    return rows


def _judged(taken: _Taken) -> dict[str, Any]:
    """The budget, and whether it is met at no loss of similarity."""
    mine, other = (statistics.fmean(taken.values[f"similarity {side}"]) for side in ("ours", "theirs"))
    return {"budget": BUDGET, "met": taken.ratio("fill cold") <= BUDGET and mine >= other - SLACK}
