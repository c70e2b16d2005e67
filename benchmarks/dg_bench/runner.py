"""Runs a suite: first its own check, then its measuring; no figure when the check fails."""

from __future__ import annotations

import argparse
from typing import Any, Protocol

from dg_bench import load, machine
from dg_bench.progress import say
from dg_bench.record import Record, Row
from dg_engine.errors import EngineError


class Suite(Protocol):
    """What a module in `suites` offers."""

    TITLE: str
    NEEDS: tuple[str, ...]
    """Packages without which it cannot run."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the suite's own options."""

    def misuse(self, options: argparse.Namespace) -> str | None:
        """Why these options cannot be used; None when they can."""

    def verify(self, options: argparse.Namespace) -> str | None:
        """Why the outputs are not those of the reference, on what will be timed; None when they are."""

    def measure(self, options: argparse.Namespace) -> list[Row]:
        """The figures."""


def run(name: str, suite: Suite | Any, options: argparse.Namespace) -> tuple[Record, bool]:
    """The record, and whether the suite's check passed.

    The load average is read before the suite itself adds to it, and what others take while it measures is watched as well.
    """
    at_start = load.load_per_core()
    say(f"{name}: checking outputs before timing anything")
    fault = _fault(suite, options)
    rows: list[Row] = []
    if fault is None:
        others = load.Others()
        rows = suite.measure(options)
        _mark(rows, at_start, 0.0 if getattr(suite, "OWN_LOAD", False) else others.per_core())
    else:
        say(f"{name}: NOT VERIFIED, so nothing is timed: {fault}")
    ok = fault is None and all(row.met is not False for row in rows)
    record = Record(
        suite=name,
        commit=machine.commit(),
        device=machine.device(getattr(options, "device", "cpu")),
        versions=machine.versions(),
        rows=rows,
        ok=ok,
    )
    return record, fault is None


def _fault(suite: Suite | Any, options: argparse.Namespace) -> str | None:
    """What the check says; a model that cannot be loaded is verified by nothing."""
    try:
        fault: str | None = suite.verify(options)
    except EngineError as error:
        return str(error)
    return fault


def _mark(rows: list[Row], at_start: float, others: float) -> None:
    """Each row carries the load at the start; what began later makes it busy too."""
    for row in rows:
        row.load, row.busy = round(at_start, 3), max(at_start, others) > load.BUSY
    if max(at_start, others) > load.BUSY:
        say(
            f"BUSY: load {at_start:.2f} per core at the start, {others:.2f} taken by others since; above {load.BUSY} nothing is recorded"
        )
