"""The harness' command line: lists suites, runs one, prints a table for people and, as the last line, the record."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from dg_bench import suites
from dg_bench.record import append, line
from dg_bench.runner import run
from dg_bench.table import write_table

RESULTS = Path(__file__).parents[1] / "results"
"""Where a checkout keeps its records."""


def main(argv: Sequence[str]) -> int:
    """Run a suite; 0: done and within its budgets, 1: not verified or a budget missed, 2: the words were off."""
    parser = argparse.ArgumentParser(
        prog="dg-lsp bench", description="Measure latency, honestly: ratios of one run, verified before anything is timed."
    )
    parser.add_argument("--list", action="store_true", help="name the suites")
    commands = parser.add_subparsers(dest="suite", metavar="SUITE")
    found = _suites()
    for name, module in found.items():
        one = commands.add_parser(name, help=module.TITLE, description=f"{module.TITLE}. {module.__doc__ or ''}")
        _common_options(one)
        module.add_options(one)
    options = parser.parse_args(list(argv))
    if options.list:
        sys.stdout.write("".join(f"{name:12} {module.TITLE}\n" for name, module in found.items()))
        return 0
    if options.suite is None:
        parser.print_usage(sys.stderr)
        sys.stderr.write(f"dg-lsp bench: name a suite: {', '.join(found)}.\n")
        return 2
    return _run(found[options.suite], options)


def _run(suite: ModuleType, options: argparse.Namespace) -> int:
    record, verified = run(options.suite, suite, options)
    write_table(record, sys.stdout)
    if options.record and verified:
        sys.stderr.write(f"{append(record, options.results)} rows recorded in {options.results}\n")
    sys.stdout.write(line(record) + "\n")
    return 0 if record.ok or (options.smoke and verified) else 1


def _suites() -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(suites.__path__))
    return {name: importlib.import_module(f"{suites.__name__}.{name}") for name in names}


def _common_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--record", action="store_true", help="append the rows that were not busy to the results folder")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the records (default: the checkout's)")
    parser.add_argument("--smoke", action="store_true", help="only show that it runs: a missed budget is printed, not an error")
