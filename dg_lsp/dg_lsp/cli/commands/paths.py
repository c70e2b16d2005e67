"""`dg-lsp paths`: every file that we keep, and how to erase it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from dg_lsp.cli.kept import kept


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="paths", short_help="Where everything lies that is kept, and how to erase it.")(paths)


def paths(*, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False) -> None:
    """List what is kept on this machine, what is in it, and the command that erases it. Documents are never kept."""
    found = list(kept())
    for one in found:
        size = f" ({one.size / 1e6:.1f} MB)" if one.size else ""
        typer.echo(f"{one.name}: {one.path}{size}\n    holds: {one.holds}\n    erase: {one.erase}")
    if as_json:
        typer.echo(json.dumps({"paths": [asdict(one) for one in found]}))
