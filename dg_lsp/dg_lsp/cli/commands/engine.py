"""`dg-lsp engine`: the process that holds the model."""

from __future__ import annotations

import json
from typing import Annotated

import msgspec
import typer

from dg_engine.errors import EngineError
from dg_lsp.cli.failure import CommandError

_NUMBERS = ("counters", "histograms")  # what `dg-lsp stats` shows
_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="The process that holds the model, shared by all of your editor windows.",
        short_help="The process that holds the model.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.callback()(lambda: None)
    group.command(name="serve", short_help="Be an engine.", context_settings=_SETTINGS, add_help_option=False)(serve)
    group.command(name="status")(status)
    group.command(name="stop")(stop)
    group.command(name="logs")(logs)
    app.add_typer(group, name="engine")


def serve(context: typer.Context) -> None:
    """Serve on a socket: `dg-lsp engine serve --socket PATH [--model DIR]`; `--help` lists every option."""
    from dg_engine.process.__main__ import main  # noqa: PLC0415 - the other commands do without it

    raise typer.Exit(main(context.args))


def status(*, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False) -> None:
    """Which engines run, what they hold, and who is attached."""
    from dg_lsp.cli.residents import residents  # noqa: PLC0415 - beside its use

    found = residents()
    for one in found:
        typer.echo(one.sentence)
    if not found:
        typer.echo("No engine runs; the first editor that needs one starts it.")
    if as_json:
        plain = [{name: value for name, value in msgspec.to_builtins(one).items() if name not in _NUMBERS} for one in found]
        typer.echo(json.dumps({"engines": plain}))


def stop() -> None:
    """Have every engine of yours leave; one that does not answer is killed. Editors start one again when they need it."""
    from dg_lsp.cli.residents import stop_all  # noqa: PLC0415 - beside its use

    for sentence in stop_all() or ["No engine runs."]:
        typer.echo(sentence)


def logs(*, lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="Lines from the end of each.")] = 20) -> None:
    """The ends of the engines' logs."""
    from dg_engine.process.places import log_folder  # noqa: PLC0415 - beside its use

    try:
        folder = log_folder()
    except EngineError as error:
        raise CommandError(str(error)) from None
    found = [path for path in sorted(folder.glob("engine-*.*")) if path.suffix in {".log", ".out"}]
    found = [path for path in found if path.is_file() and path.stat().st_size]
    for path in found:
        typer.echo(f"{path}:")
        typer.echo("\n".join(f"  {line}" for line in path.read_text("utf-8", "replace").splitlines()[-lines:]))
    if not found:
        typer.echo(f"No engine has logged anything in {folder}.")
