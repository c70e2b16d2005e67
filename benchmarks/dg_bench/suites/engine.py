"""Our loop against transformers' `generate`, in one run: same weights, same experts path, same prefix, canvas length and threads."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dg_bench.items import Item, items
from dg_bench.record import Row

if TYPE_CHECKING:
    from dg_bench.against_generate.theirs import Theirs
    from dg_engine.model import Model

TITLE = "our denoising loop against transformers' generate"
NEEDS = ("torch", "transformers")
BUDGET = 0.25
"""Of a cold single-line fill, ours / theirs."""
SLACK = 0.02
"""By so much our mean similarity may be below theirs for the ratio to count."""
ITEMS, FEW_ITEMS = 50, 4
CHECKED, WARM_UP = 5, 3
"""Items compared before anything is timed; items filled before anything counts."""
FEW_PASSES = 2
"""What a long fill is compared with, to know what one pass takes."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The suite's options."""
    parser.add_argument("--items", "--fills", type=int, help=f"holes to fill (default {ITEMS}, {FEW_ITEMS} with --smoke)")
    parser.add_argument("--seed", type=int, default=0, help="which holes (default 0)")
    parser.add_argument("--passes", type=int, default=8, help="passes of the fills that one pass is computed from (default 8)")
    parser.add_argument("--threads", type=int, help="CPU threads of both sides (default: torch's choice)")
    parser.add_argument("--model", type=Path, help="model folder (default: the built-in starter)")


def misuse(options: argparse.Namespace) -> str | None:
    """Why these options cannot be used; None when they can."""
    if options.passes <= FEW_PASSES:
        return f"--passes must be above {FEW_PASSES}."
    try:
        _holes(options)
    except ValueError as error:
        return f"--items: {error}"
    return None


def verify(options: argparse.Namespace) -> str | None:
    """Both sides commit the same ids, on holes like those that are timed."""
    from dg_bench.against_generate.parity import disagreement  # noqa: PLC0415 - brings torch and transformers

    return disagreement(*_load(options), items(CHECKED, options.seed + 1))


def measure(options: argparse.Namespace) -> list[Row]:
    """Times of both sides, and beside them what they wrote. The budget is the cold fill's."""
    from dg_bench.against_generate.measure import measure as fill_all  # noqa: PLC0415

    rows: list[Row] = []
    cases, several = fill_all(*_load(options), _holes(options), warm_up=WARM_UP, passes=(FEW_PASSES, options.passes))
    for case in cases:
        rows += case.rows(BUDGET, SLACK) if case.name == "fill cold" else case.rows()
    return [*rows, several]


def _holes(options: argparse.Namespace) -> list[Item]:
    count = options.items if options.items is not None else FEW_ITEMS if options.smoke else ITEMS
    if count < 1:
        raise ValueError("at least one hole is needed.")
    return items(count + WARM_UP, options.seed)


def _load(options: argparse.Namespace) -> tuple[Model, Theirs]:
    from dg_bench.against_generate.theirs import Theirs  # noqa: PLC0415
    from dg_engine.model import Model  # noqa: PLC0415

    def load(backbone: str) -> Model:
        return Model.load(options.model, backbone=backbone, device="cpu", dtype="float32", threads=options.threads)

    return load("own"), Theirs(load("reference"))
