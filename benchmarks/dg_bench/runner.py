"""Runs a suite: first its own check, then its measuring; no figure when the check fails."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Protocol

from dg_bench import machine
from dg_bench.record import Record, Row


class Suite(Protocol):
    """What a module in `suites` offers."""

    TITLE: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the suite's own options."""

    def verify(self, options: argparse.Namespace) -> str | None:
        """Why the outputs are not those of the reference, on what will be timed; None when they are."""

    def measure(self, options: argparse.Namespace) -> list[Row]:
        """The figures."""


def run(name: str, suite: Suite | Any, options: argparse.Namespace) -> tuple[Record, bool]:
    """The record, and whether the suite's check passed."""
    load = machine.load_per_core()
    sys.stderr.write(f"{name}: checking outputs before timing anything\n")
    fault = suite.verify(options)
    rows: list[Row] = []
    if fault is None:
        rows = suite.measure(options)
    else:
        sys.stderr.write(f"{name}: NOT VERIFIED, so nothing is timed: {fault}\n")
    for row in rows:
        row.load, row.busy = round(load, 3), load > machine.BUSY
    ok = fault is None and all(row.met is not False for row in rows)
    record = Record(suite=name, commit=machine.commit(), device=machine.device(), versions=machine.versions(), rows=rows, ok=ok)
    return record, fault is None
