"""`dg-lsp doctor`: is everything here, and what to do if not."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dg_lsp.cli.checks import Check, all_checks

_MARKS = {"ok": ("✓", "green"), "note": ("!", "yellow"), "missing": ("✗", "red")}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="doctor", short_help="Say what is missing, and what to do.")(doctor)


def doctor(
    *,
    model: Annotated[Path | None, typer.Option(help="Model folder to look at; default: the built-in starter.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False,
) -> None:
    """Look at Python, packages, model, device, memory and folders, and complete something. Exit code 0: usable, 1: not.

    Example: dg-lsp doctor --model ~/models/my-starter
    """
    checks = list(all_checks(model))
    usable = all(check.verdict != "missing" for check in checks)
    if as_json:
        typer.echo(json.dumps({"ok": usable, "checks": [asdict(check) for check in checks]}))
    elif sys.stdout.isatty():
        _table(checks)
    else:
        for check in checks:
            typer.echo(check.line)
    raise typer.Exit(0 if usable else 1)


def _table(checks: list[Check]) -> None:
    from rich.console import Console  # noqa: PLC0415 - only for a terminal
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, show_header=False, pad_edge=False)
    for check in checks:
        mark, style = _MARKS[check.verdict]
        table.add_row(Text(mark, style), check.name, Text(check.value), Text(check.advice, style))
    Console().print(table)
