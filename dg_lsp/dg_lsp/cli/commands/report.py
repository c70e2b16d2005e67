"""`dg-lsp report`: one archive with what a report of a fault should hold, shown before it is written."""

from __future__ import annotations

import getpass
import json
import re
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from dg_engine.process.places import log_folder
from dg_lsp.cli.checks import all_checks
from dg_lsp.cli.failure import CommandError
from dg_lsp.cli.log_lines import last_settings, without_source
from dg_lsp.cli.residents import residents

_LINES = 500
"""From the end of each log."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="report", short_help="Collect what a report of a fault should hold.")(report)


def report(
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The archive; default: dg-lsp-report-TIME.zip here.")
    ] = None,
    log_file: Annotated[Path | None, typer.Option(help="The server's log, if it was started with --log-file.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
) -> None:
    """Collect doctor's findings, the engines' state and logs, and the server's log, without source text, names or folders of yours.

    Everything is printed first; then you are asked whether to write it. Nothing is sent anywhere.

    Example: dg-lsp report --log-file ~/dg-lsp.log
    """
    files = {name: _impersonal(text) for name, text in _collected(log_file).items()}
    for name, text in files.items():
        typer.echo(f"──── {name}\n{text.rstrip()}\n")
    target = output or Path(f"dg-lsp-report-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip")
    if not yes and not (sys.stdin.isatty() and typer.confirm(f"Write this to {target}?")):
        typer.echo("Nothing was written." if sys.stdin.isatty() else "Nothing was written; --yes writes it.")
        return
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}.") from None
    typer.echo(f"Written: {target}")


def _collected(log_file: Path | None) -> dict[str, str]:
    """The archive's files."""
    engines = [msgspec.to_builtins(one) for one in residents()]
    for one in engines:
        one.pop("histograms", None)
    files = {"doctor.txt": "\n".join(check.line for check in all_checks(None)), "engines.json": json.dumps(engines, indent=2)}
    for path in sorted(log_folder().glob("engine-*.*")):
        if path.suffix in {".log", ".out"} and path.stat().st_size:
            files[path.name] = "\n".join(_tail(path))
    if log_file is not None:
        lines = _tail(log_file.expanduser(), None)
        files["settings.json"] = last_settings(lines) or "The log says nothing about settings; at level info it does."
        files["server.log"] = "\n".join(list(without_source(lines))[-_LINES:])
    return files


def _tail(path: Path, count: int | None = _LINES) -> list[str]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    return lines if count is None else lines[-count:]


def _impersonal(text: str) -> str:
    """Without the user's home folder and name."""
    text = text.replace(str(Path.home()), "~") if Path.home() != Path("/") else text
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # no such user, in containers
        return text
    return re.sub(rf"(?<=/){re.escape(name)}(?=/)", "user", text)
