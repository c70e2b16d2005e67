"""`dg-lsp demo`: the real server completes real files, and the canvas is drawn as it is refined."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from dg_lsp.cli.canvas_view import frame, hole
from dg_lsp.cli.engines import require_engine
from dg_lsp.cli.failure import CommandError
from dg_lsp.cli.scenes import Scene, scenes

_LOADING_SECONDS = 120.0
_SLOW_MOTION = 0.35
"""Seconds that each pass stays on a terminal: a pass takes a few milliseconds, which nobody can see."""

Show = Callable[[Panel], None]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="demo")(demo)


def demo(
    *,
    svg: Annotated[Path | None, typer.Option(help="Also write the last picture of each scene to this SVG file.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, also on a terminal.")] = False,
) -> None:
    """Start the server as an editor does, open three files, and watch each completion being drafted and refined.

    Colours say how sure the model is of a token; passes are shown in slow motion, the times are the real ones.
    """
    require_engine()
    from dg_bench.drive.client import Client, ServerGoneError  # noqa: PLC0415 - only the demo needs it

    typer.echo("Starting `dg-lsp --stdio` and opening three files.")
    try:
        with Client() as client:
            client.initialize(options={"drafts": True})
            pictures = [_play(client, scene, plain=plain) for scene in scenes()]
            client.stop()
    except (ServerGoneError, TimeoutError) as error:
        raise CommandError(f"The server did not answer ({error}); `dg-lsp doctor` says more.") from None
    if svg is not None:
        _export(svg, pictures)


def _play(client: Any, scene: Scene, *, plain: bool) -> Panel:
    """Ask at the scene's cursor and draw what comes; returns the last picture."""
    from dg_bench.drive.document import Document  # noqa: PLC0415 - only the demo needs it

    document = Document(client, scene.marked, uri=f"file:///demo/{scene.name}")
    seen = len(client.notified("dg/draft"))
    started = time.monotonic()
    items = document.items(scene.trigger, wait=_LOADING_SECONDS)
    waited = (time.monotonic() - started) * 1000
    drafts = client.notified("dg/draft")[seen:]
    if plain or not sys.stdout.isatty():
        return _tell(scene, drafts, items, waited)
    with Live(console=Console(), refresh_per_second=20) as live:
        for draft in drafts:
            live.update(_draft_frame(scene, draft))
            time.sleep(_SLOW_MOTION)
        last = _answer_frame(scene, drafts, items, waited)
        live.update(last)
    return last


def _tell(scene: Scene, drafts: list[Any], items: list[Any], waited: float) -> Panel:
    line = scene.sides[0].rsplit("\n", 1)[-1]
    typer.echo(f"\n{scene.name}: {scene.title}")
    for draft in drafts:
        typer.echo(f"  pass {draft['pass']} of at most {draft['cap']}: {line.strip()}[{draft['text']!r}]")
    typer.echo(_answer_line(drafts, items, waited))
    shown = line + (items[0]["insertText"] if items else "") + scene.sides[1].split("\n", 1)[0]
    typer.echo("\n".join(f"  | {part}" for part in shown.split("\n")))
    return _answer_frame(scene, drafts, items, waited)


def _draft_frame(scene: Scene, draft: Any) -> Panel:
    return frame(scene, hole(draft["text"], draft["confidence"]), f"pass {draft['pass']} of at most {draft['cap']}")


def _answer_frame(scene: Scene, drafts: list[Any], items: list[Any], waited: float) -> Panel:
    text = items[0]["insertText"] if items else ""
    last: Any = drafts[-1] if drafts else {"text": "", "confidence": []}
    drawn = (
        hole(text, [pair for pair in last["confidence"] if pair[0] <= len(text)])
        if last["text"].startswith(text)
        else Text(text, "green")
    )
    return frame(scene, drawn, _answer_line(drafts, items, waited))


def _answer_line(drafts: list[Any], items: list[Any], waited: float) -> str:
    passes = drafts[-1]["pass"] if drafts else 0
    sure = [probability for _, probability in drafts[-1]["confidence"]] if drafts else []
    mean = f"{sum(sure) / len(sure):.0%}" if sure else "none"
    what = "answer" if items else "nothing worth showing"
    return f"{what} after {passes} passes, {waited:.0f} ms from request (the first includes loading), mean confidence {mean}"


def _export(svg: Path, pictures: list[Panel]) -> None:
    console = Console(record=True, width=96, file=io.StringIO())
    console.print(Group(*pictures))
    try:
        console.save_svg(str(svg), title="dg-lsp demo")
    except OSError as error:
        raise CommandError(f"{svg} cannot be written: {error.strerror}.") from None
