"""From a request to its answer while somebody types, with jobs that run ahead of requests and without."""

from __future__ import annotations

import argparse

from dg_bench.items import Item, items
from dg_bench.record import Row, row

TITLE = "answers while typing: jobs that run ahead of their requests"
NEEDS = ("pygls", "torch")
PAUSES = {50: "VS Code", 200: "Neovim"}
"""Milliseconds that an editor waits after a key before it asks."""
_CHECKED = 3


def add_options(parser: argparse.ArgumentParser) -> None:
    """The suite's options."""
    parser.add_argument("--items", type=int, help="places to type at, four keys each (default 15, 3 with --smoke)")
    parser.add_argument("--seed", type=int, default=0, help="which places (default 0)")


def misuse(options: argparse.Namespace) -> str | None:
    """Why these options cannot be used; None when they can."""
    return None if _count(options) > 0 else "--items must be at least 1."


def verify(options: argparse.Namespace) -> str | None:
    """Both say the same wherever they are asked."""
    from dg_bench.reuse import ahead  # noqa: PLC0415 - starts servers

    with ahead.typists() as (mine, plain):
        return ahead.same_answers(mine, plain, _holes(_CHECKED, options.seed + 1))


def measure(options: argparse.Namespace) -> list[Row]:
    """A case for each pause."""
    from dg_bench.reuse import ahead  # noqa: PLC0415 - starts servers

    rows = []
    for pause, editor in PAUSES.items():
        with ahead.typists() as (mine, plain):
            ahead.type_all(mine, plain, _holes(_count(options) + 1, options.seed), pause / 1000)
            case, ratio = f"key, {pause} ms, request ({editor})", round(sum(mine.ms) / sum(plain.ms), 4)
            rows += [row(case, "ahead", "ms", mine.ms, ratio=ratio), row(case, "not ahead", "ms", plain.ms)]
    return rows


def _holes(count: int, seed: int) -> list[Item]:
    return items(count, seed)


def _count(options: argparse.Namespace) -> int:
    return int(options.items if options.items is not None else 3 if options.smoke else 15)
