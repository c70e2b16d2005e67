"""A change of a document and a look-up of a position in it, through the handlers of our server and of pygls' own, in one run."""

from __future__ import annotations

import argparse
import random

from dg_bench.documents.sides import OurServer, PyglsServer, Server
from dg_bench.documents.typing_bursts import Key, keys
from dg_bench.progress import counted
from dg_bench.record import Row, row, within

TITLE = "changes and positions in long documents, against pygls' own store"
NEEDS = ("pygls",)
LINES = (1_000, 10_000, 100_000)
BUDGET_MS = 0.5
"""Of p95, in the longest document."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The suite's options."""
    parser.add_argument("--keys", type=int, help="keys typed in each document (default 300, 40 with --smoke)")
    parser.add_argument("--seed", type=int, default=0, help="where they are typed (default 0)")


def misuse(options: argparse.Namespace) -> str | None:
    """Why these options cannot be used; None when they can."""
    return None if _keys(options) > 0 else "--keys must be at least 1."


def verify(options: argparse.Namespace) -> str | None:
    """Both hold the same text after the same keys."""
    ours, theirs = OurServer(), PyglsServer()
    text = _text(LINES[0])
    for server in (ours, theirs):
        server.open(text)
        for key in keys(text, 200, random.Random(options.seed + 1)):  # noqa: S311 - reproducible, no secret
            server.change(key)
    return None if ours.text == theirs.text else "the two hold different texts after the same keys."


def measure(options: argparse.Namespace) -> list[Row]:
    """Both sides take turns, key by key."""
    rows = []
    for lines in LINES:
        text = _text(lines)
        ours, theirs = OurServer(), PyglsServer()
        ours.open(text)
        theirs.open(text)
        typed = keys(text, _keys(options), random.Random(options.seed))  # noqa: S311 - as above
        rows += _rows(lines, *_typed(ours, theirs, list(counted(typed, f"documents: {lines} lines, key", every=100))))
    return rows


def _typed(ours: Server, theirs: Server, typed: list[Key]) -> tuple[list[list[float]], list[list[float]]]:
    """Milliseconds of changes and of look-ups, each ours and theirs."""
    changes: list[list[float]] = [[], []]
    lookups: list[list[float]] = [[], []]
    for key in typed:
        for side, server in enumerate((ours, theirs)):
            changes[side].append(server.change(key))
            lookups[side].append(server.look_up(key))
    return changes, lookups


def _rows(lines: int, changes: list[list[float]], lookups: list[list[float]]) -> list[Row]:
    rows = []
    for what, (mine, other) in (("change", changes), ("look-up", lookups)):
        case, ratio = f"{what}, {lines} lines", round(sum(mine) / sum(other), 4)
        ours = within(case, "ours", "ms", mine, BUDGET_MS) if lines == LINES[-1] else row(case, "ours", "ms", mine)
        ours.ratio = ratio
        rows += [ours, row(case, "theirs", "ms", other)]
    return rows


def _text(lines: int) -> str:
    return "".join(f"value_{number} = compute(value_{number}, {number})\n" for number in range(lines))


def _keys(options: argparse.Namespace) -> int:
    return int(options.keys if options.keys is not None else 40 if options.smoke else 300)
