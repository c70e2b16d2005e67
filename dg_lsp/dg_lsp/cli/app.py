"""The sub-commands under one typer application. Each module in `commands` adds itself with `register(app)`."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from dg_lsp import __version__
from dg_lsp.cli import commands
from dg_lsp.cli.failure import CommandError

HELP = """Inline code completion from a block-diffusion model, on your own machine.

Without a command, and when stdin is no terminal or --stdio is given, it serves a language client (an editor) over stdio.

Serving takes --stdio, --clientProcessId N (leave when that process is gone), --log-file F and --model DIR; what an editor appends beside
these is logged and passed over.

Try: dg-lsp demo · dg-lsp complete FILE:LINE:COL · dg-lsp doctor
"""


def run(arguments: Sequence[str]) -> int:
    """Run a sub-command; returns the exit code: 0, 1 after an error, 2 when the words were off, 130 after Ctrl-C."""
    app = _app()
    names = _names()
    if arguments and not arguments[0].startswith("-") and arguments[0] not in names:
        near = difflib.get_close_matches(arguments[0], names, n=1)
        hint = f" Did you mean `{near[0]}`?" if near else f" Commands: {', '.join(names)}."
        sys.stderr.write(f"dg-lsp: there is no command `{arguments[0]}`.{hint}\n")
        return 2
    try:
        app(args=list(arguments), prog_name="dg-lsp")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except CommandError as error:
        sys.stderr.write(f"dg-lsp: {error}\n")
        return error.code
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"dg-lsp: {error.strerror or error}.\n")
        return 1
    return 0


def _names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _app() -> typer.Typer:
    app = typer.Typer(
        help=HELP, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    app.callback()(_options)
    for name in _names():
        importlib.import_module(f"{commands.__name__}.{name}").register(app)
    return app


def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it with one value
    if asked:
        typer.echo(f"dg-lsp {__version__}")
        raise typer.Exit


def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    del version
