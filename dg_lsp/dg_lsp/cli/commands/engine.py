"""`dg-lsp engine`: the process that holds the model."""

from __future__ import annotations

import typer

_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="The engine process: holds the model and answers jobs on a socket.", no_args_is_help=True, rich_markup_mode=None
    )
    group.callback()(lambda: None)
    group.command(name="serve", context_settings=_SETTINGS, add_help_option=False)(serve)
    app.add_typer(group, name="engine")


def serve(context: typer.Context) -> None:
    """Serve on a socket: `dg-lsp engine serve --socket PATH [--model DIR]`; `--help` lists every option."""
    from dg_engine.process.__main__ import main  # noqa: PLC0415 - the other commands do without it

    raise typer.Exit(main(context.args))
