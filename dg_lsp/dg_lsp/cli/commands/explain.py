"""`dg-lsp explain FILE:LINE:COL`: one request through the whole server, and how its answer came about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from dg_lsp.cli.engines import require_engine
from dg_lsp.cli.failure import CommandError
from dg_lsp.cli.languages import language_of
from dg_lsp.cli.place import Place, Sides, parse_place, read_sides

_LOADING_SECONDS = 60.0
_EXPLAIN = "dg.server.explain"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="explain", short_help="Say how a completion came about, or why none did.")(explain)


def explain(
    place: Annotated[
        str, typer.Argument(metavar="FILE:LINE:COL", help="Where: line and column from 1, columns in characters.")
    ],
    *,
    typing: Annotated[bool, typer.Option("--typing", help="Ask as editors do while one types, not as if by hand.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False,
    model: Annotated[Path | None, typer.Option(help="Model folder; default: the built-in starter.")] = None,
) -> None:
    """Ask a server once, as an editor would, and show what the model wrote, which rules changed it, and where the time went.

    Files that are excluded, languages that are switched off and places where nothing is shown are explained as well.

    Example: dg-lsp explain src/shop.py:12:18 --typing
    """
    require_engine()
    where = parse_place(place)
    sides = read_sides(where)
    said = _ask(where, sides, typing=typing, model=model)
    for line in _lines(where, said):
        typer.echo(line)
    if as_json:
        typer.echo(json.dumps({"file": str(where.file), **said}))


def _ask(where: Place, sides: Sides, *, typing: bool, model: Path | None) -> dict[str, Any]:
    """The server's explanation of one request."""
    from dg_bench.drive.client import SERVER, Client, ServerGoneError, plain_params  # noqa: PLC0415 - only here
    from dg_bench.drive.document import AUTOMATIC, INVOKED, Document  # noqa: PLC0415

    file = where.file.absolute()
    folder = Path.cwd() if file.is_relative_to(Path.cwd()) else file.parent
    command = [*SERVER, *(["--model", str(model)] if model else [])]
    try:
        with Client(command) as client:
            client.initialize({**plain_params(), "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}]})
            document = Document(client, sides.prefix + sides.suffix, uri=file.as_uri(), language=language_of(file))
            document.cursor = len(sides.prefix)
            document.items(AUTOMATIC if typing else INVOKED, wait=_LOADING_SECONDS)
            asked = client.request("workspace/executeCommand", {"command": _EXPLAIN, "arguments": [document.uri]})
            client.stop()
    except (ServerGoneError, TimeoutError, AssertionError) as error:
        raise CommandError(f"The server did not answer ({error}); `dg-lsp doctor` says more.") from None
    said: dict[str, Any] = asked["result"]["answers"][0]
    return said


def _lines(where: Place, said: dict[str, Any]) -> list[str]:
    """For people."""
    by = {"engine": "answered by the engine", "memory": "answered from memory", "nobody": "not passed on to the engine"}
    how = "by hand" if said["trigger"] == "invoked" else "while typing"
    lines = [f"{where.file}:{where.line}:{where.column}, asked {how}, {by[said['source']]} in {said['ms']:.0f} ms"]
    if said["source"] == "engine":
        times = (said.get(f"{name}_ms", 0.0) for name in ("queue", "encode", "denoise"))
        lines += [
            f"  canvas   {said.get('hole', 0)} open positions, {said.get('pins', 0)} pinned ones from behind the cursor",
            f"  encoder  {said.get('encoded', 0)} tokens read, {said.get('reused', 0)} kept from before",
            "  time     waiting {:.1f} ms, reading {:.1f} ms, passes {:.1f} ms".format(*times),
        ]
    for number, one in enumerate(said.get("candidates", []), 1):
        lines += _candidate(number, one)
    if reason := said.get("reason"):
        lines.append(f"Nothing was shown: {reason}")
    return lines


def _candidate(number: int, one: dict[str, Any]) -> list[str]:
    sure = f"{one.get('passes', 0)} passes ({one.get('stop', '')}), confidence {one.get('confidence', 1.0):.0%}"
    lines = [f"  draft {number}  {one['text']!r}  {sure}"]
    lines += [
        f"           rule {act['rule']}: {act['before']} characters became {act['after']}" for act in one.get("rules", [])
    ]
    return [*lines, f"           shown: {one['shown']!r}" if one["shown"] else "           shown: nothing"]
