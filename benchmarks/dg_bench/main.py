"""The harness' command line: lists suites, runs one, prints a table for people and, as the last line, the record."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from dg_bench import checkout, suites
from dg_bench.progress import say
from dg_bench.record import append, line
from dg_bench.runner import run
from dg_bench.table import write_table

_MISUSE, _STOPPED = 2, 130


def main(argv: Sequence[str]) -> int:
    """Run a suite; 0: done and within its budgets, 1: not verified or a budget missed, 2: the words were off, 130: Ctrl-C."""
    found = _suites()
    parser = _parser(found)
    try:
        options = parser.parse_args(list(argv))
    except SystemExit as end:
        return int(end.code or 0)
    if options.list:
        sys.stdout.write("".join(f"{name:12} {module.TITLE}\n" for name, module in found.items()))
        return 0
    if options.suite is None:
        parser.print_usage(sys.stderr)
        say(f"dg-lsp bench: name a suite: {', '.join(found)}.")
        return _MISUSE
    if (fault := _misuse(found[options.suite], options)) is not None:
        say(f"dg-lsp bench: {fault}")
        return _MISUSE
    try:
        return _run(found[options.suite], options)
    except KeyboardInterrupt:
        say("\ndg-lsp bench: stopped; nothing was recorded.")
        return _STOPPED


def _run(suite: ModuleType, options: argparse.Namespace) -> int:
    record, verified = run(options.suite, suite, options)
    write_table(record, sys.stdout)
    if options.record and verified:
        say(f"{append(record, options.results)} of {len(record.rows)} rows recorded in {options.results}")
    sys.stdout.write(line(record) + "\n")
    if verified and not record.ok:
        say(f"{options.suite}: A BUDGET WAS MISSED" + (" (no error in a smoke run)" if options.smoke else ""))
    return 0 if record.ok or (options.smoke and verified) else 1


def _suites() -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(suites.__path__))
    return {name: importlib.import_module(f"{suites.__name__}.{name}") for name in names}


def _parser(found: dict[str, ModuleType]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dg-lsp bench", description="Measure latency, honestly: ratios of one run, verified before anything is timed."
    )
    parser.add_argument("--list", action="store_true", help="name the suites")
    commands = parser.add_subparsers(dest="suite", metavar="SUITE")
    for name, module in found.items():
        one = commands.add_parser(name, help=module.TITLE, description=f"{module.TITLE}. {module.__doc__ or ''}")
        _common_options(one)
        module.add_options(one)
    return parser


def _common_options(parser: argparse.ArgumentParser) -> None:
    where = checkout.results()
    parser.add_argument("--record", action="store_true", help="append the rows that were not busy to the results folder")
    parser.add_argument(
        "--results", type=Path, default=where, help=f"folder of the records (default: {where or 'none outside a checkout'})"
    )
    parser.add_argument(
        "--smoke",
        "--quick",
        action="store_true",
        help="a few items, to show that it runs: a missed budget is printed, no error",
    )


def _misuse(suite: ModuleType, options: argparse.Namespace) -> str | None:
    """Why this cannot be run as it was asked for; None when it can."""
    if options.record and options.results is None:
        return "this is an installed package, not a checkout; say with --results DIR where to record."
    missing = [name for name in suite.NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} cannot be found, and this suite needs it: pip install 'dg-lsp[bench]'."
    fault: str | None = suite.misuse(options)
    return fault
