"""The server over stdio, its engine a double of fixed delay: what it adds to a request, and how soon it starts, cancels and ends."""

from __future__ import annotations

import argparse
from statistics import median

from dg_bench.drive.document import Document
from dg_bench.front import ending_early, life, overhead
from dg_bench.front.stage import DRAFT, stage
from dg_bench.record import Row, row, within

TITLE = "what the server adds to a request; start, cancel, end"
NEEDS = ("pygls",)
OVERHEAD_MS = {1_000: None, 10_000: 5.0, 100_000: 8.0}
"""Budget of p95 by lines of the document."""
REUSE_MS, CANCEL_MS, END_MS = 5.0, 10.0, 2000.0
PASSES_AFTER_CANCEL, RUNS_OF_100 = 1.0, 2.0
START = 1.2
"""Ours / a bare pygls server's, of medians: one start that the system held up says nothing about either."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The suite's options."""
    parser.add_argument("--requests", type=int, help="requests a case (default 200, 20 with --smoke)")
    parser.add_argument("--starts", type=int, help="starts and ends (default 20, 2 with --smoke)")


def misuse(options: argparse.Namespace) -> str | None:
    """Why these options cannot be used; None when they can."""
    return None if _requests(options) > 0 and _starts(options) > 0 else "--requests and --starts must be at least 1."


def verify(options: argparse.Namespace) -> str | None:  # noqa: ARG001 - all suites share one signature
    """A request is answered with what the engine said, where it was asked."""
    with stage() as served:
        document = Document(served.client, "x = ‸\n")
        items = document.items()
        if len(items) != 1 or document.accepted(items[0]) != f"x = {DRAFT}\n":
            return f"the answer is {items}."
    return None


def measure(options: argparse.Namespace) -> list[Row]:
    """Each case in turn."""
    count, starts = _requests(options), _starts(options)
    rows = []
    for lines, budget in OVERHEAD_MS.items():
        case, taken = f"overhead, {lines} lines", overhead.overhead(lines, count)
        rows.append(row(case, "ours", "ms", taken) if budget is None else within(case, "ours", "ms", taken, budget))
    rows.append(within("typed along, no engine", "ours", "ms", overhead.typed_along(count), REUSE_MS))
    replies, passes = ending_early.cancelled(count)
    rows.append(within("cancel to reply", "ours", "ms", replies, CANCEL_MS))
    rows.append(within("after a cancel", "passes", "passes", passes, PASSES_AFTER_CANCEL))
    runs = ending_early.superseded(max(1, starts // 2))
    rows.append(within("100 requests, 99 superseded", "runs to the end", "runs", runs, RUNS_OF_100))
    ours, theirs = life.start(starts)
    ratio = round(median(ours) / median(theirs), 4)
    rows.append(row("start to initialize", "ours", "ms", ours, ratio=ratio, budget=START, judged="ratio", met=ratio <= START))
    rows.append(row("start to initialize", "theirs", "ms", theirs))
    for name, end in life.endings().items():
        rows.append(within(f"gone after {name}", "ours", "ms", [end() for _ in range(starts)], END_MS))
    return rows


def _requests(options: argparse.Namespace) -> int:
    return int(options.requests if options.requests is not None else 20 if options.smoke else 200)


def _starts(options: argparse.Namespace) -> int:
    return int(options.starts if options.starts is not None else 2 if options.smoke else 20)
