"""Four windows type against one engine while windows crash and the engine is killed: nothing may be lost, and nothing grow."""

from __future__ import annotations

import argparse

from dg_bench.items import items
from dg_bench.record import Row, row, within

TITLE = "four windows, one engine, random kills: nothing is lost, nothing grows"
NEEDS = ("pygls", "torch")
OWN_LOAD = True
"""The engine that windows share is nobody's child: its load is this suite's own, and no other's."""
_ITEMS = 200
_MOST_GROWTH = 1.0
"""MB a minute, of any process that lived for some minutes."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The suite's options."""
    parser.add_argument("--minutes", type=float, help="how long (default 20, a tenth of one with --smoke)")
    parser.add_argument("--seed", type=int, default=0, help="what is typed, and what befalls whom (default 0)")


def misuse(options: argparse.Namespace) -> str | None:
    """Why these options cannot be used; None when they can."""
    return None if _minutes(options) > 0 else "--minutes must be above 0."


def verify(options: argparse.Namespace) -> str | None:  # noqa: ARG001 - all suites share one signature
    """There is no reference: what is judged here is that every request has its one answer."""
    return None


def measure(options: argparse.Namespace) -> list[Row]:
    """Answers, losses, kills survived, growth."""
    from dg_bench.progress import say  # noqa: PLC0415 - beside its use
    from dg_bench.soak.run import soak  # noqa: PLC0415 - starts servers

    came = soak(_minutes(options), items(_ITEMS, options.seed), options.seed)
    for why in came.lost[:10]:
        say(f"soak: LOST: {why}")
    rows = [
        row("request to answer", "ours", "ms", came.answered_ms or [0.0]),
        row("answers", "ours", "requests", [float(len(came.answered_ms))]),
        row("cancelled or superseded", "ours", "requests", [float(sum(one.cancelled for one in came.tallies))]),
        within("lost", "ours", "requests", [float(len(came.lost))], 0.0),
        row("engine killed", "ours", "times", [float(came.engine_kills)]),
        row("windows killed", "ours", "times", [float(came.window_kills)]),
    ]
    for kind, growths in came.growths.items():
        slopes = [slope for one in growths if (slope := one.slope()) is not None]
        if slopes:
            rows.append(within(f"growth, {kind}", "ours", "MB/min", slopes, _MOST_GROWTH))
    return rows


def _minutes(options: argparse.Namespace) -> float:
    return float(options.minutes if options.minutes is not None else 0.1 if options.smoke else 20.0)
