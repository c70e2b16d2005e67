"""`dg-lsp bench`: the latency benchmark harness."""

from __future__ import annotations

import typer

_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        name="bench", short_help="Measure; --list names the suites.", context_settings=_SETTINGS, add_help_option=False
    )(bench)


def bench(context: typer.Context) -> None:
    """Measure: `dg-lsp bench --list` names the suites, `dg-lsp bench engine --help` explains one."""
    from dg_bench.main import main  # noqa: PLC0415 - the other commands do without it

    raise typer.Exit(main(context.args))
