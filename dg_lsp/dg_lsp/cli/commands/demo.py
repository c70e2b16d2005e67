"""`dg-lsp demo`: the real server completes sample files, and the canvas is drawn as it is refined."""

from __future__ import annotations

import io
import sys
import time
from dataclasses import dataclass
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
_OPTIONS = {
    "drafts": True,
    "engine": {"mode": "embedded"},
    "completion": {"showThreshold": 0},
    "context": {"guesses": False},
}
"""One canvas, from noise, shown whatever the judge says of it: what is drawn is what is answered."""
_SLOW_MOTION = 0.35
"""Seconds that each pass stays on a terminal: a pass takes a few milliseconds, which nobody can see."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="demo", short_help="Watch the server complete sample files.")(demo)


def demo(
    *,
    svg: Annotated[Path | None, typer.Option(help="Also write the last picture of each scene to this SVG file.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines, also on a terminal.")] = False,
) -> None:
    """Start the server as an editor does, open three sample files, and watch each completion being drafted and refined.

    Colours say how sure the model is of a token; passes are shown in slow motion, the times are the real ones.
    """
    require_engine()
    if svg is not None and not svg.absolute().parent.is_dir():
        raise CommandError(f"{svg} cannot be written: its folder does not exist.")
    from dg_bench.drive.client import Client, ServerGoneError  # noqa: PLC0415 - only the demo needs it

    typer.echo("Starting `dg-lsp --stdio` and opening three files. Between « and »: what the canvas holds after a pass.")
    try:
        with Client() as client:
            client.initialize(options=_OPTIONS)
            pictures = [_play(client, scene, plain=plain, first=not number) for number, scene in enumerate(scenes())]
            client.stop()
    except (ServerGoneError, TimeoutError) as error:
        raise CommandError(f"The server did not answer ({error}); `dg-lsp doctor` says more.") from None
    if svg is not None:
        _export(svg, pictures)


LINE = "\n"


@dataclass(frozen=True)
class _Answer:
    """What came for one scene."""

    scene: Scene
    drafts: list[Any]
    items: list[Any]
    ms: float
    first: bool
    """The model was loaded meanwhile."""

    @property
    def text(self) -> str:
        return str(self.items[0]["insertText"]) if self.items else ""

    @property
    def summary(self) -> str:
        """Passes, milliseconds and confidence in one line."""
        passes = self.drafts[-1]["pass"] if self.drafts else 0
        sure = [probability for _, probability in self.drafts[-1]["confidence"]] if self.drafts else []
        mean = f"{sum(sure) / len(sure):.0%}" if sure else "none"
        what = "answer" if self.items else "nothing worth showing"
        loading = " (with loading the model)" if self.first else ""
        return f"{what} after {passes} passes, {self.ms:.0f} ms{loading}, mean confidence {mean}"


def _play(client: Any, scene: Scene, *, plain: bool, first: bool) -> Panel:
    """Ask at the scene's cursor and draw what comes; returns the last picture."""
    from dg_bench.drive.document import Document  # noqa: PLC0415 - only the demo needs it

    document = Document(client, scene.marked, uri=f"file:///demo/{scene.name}")
    seen = len(client.notified("dg/draft"))
    started = time.monotonic()
    items = document.items(scene.trigger, wait=_LOADING_SECONDS)
    ms = (time.monotonic() - started) * 1000
    answer = _Answer(scene, client.notified("dg/draft")[seen:], items, ms, first)
    if plain or not sys.stdout.isatty():
        _tell(answer)
    else:
        _draw(answer)
    return _last_frame(answer)


def _tell(answer: _Answer) -> None:
    before, after = answer.scene.sides
    line = before.rsplit("\n", 1)[-1]
    typer.echo(f"\n{answer.scene.name}: {answer.scene.title}")
    for draft in answer.drafts:
        typer.echo(f"  pass {draft['pass']} of at most {draft['cap']}: {line.lstrip()}«{draft['text'].replace(LINE, '⏎')}»")
    typer.echo(answer.summary)
    shown = line + answer.text + after.split("\n", 1)[0]
    typer.echo("\n".join(f"  | {part}" for part in shown.split("\n")))


def _draw(answer: _Answer) -> None:
    with Live(console=Console(), refresh_per_second=20) as live:
        for draft in answer.drafts:
            footer = f"pass {draft['pass']} of at most {draft['cap']}"
            live.update(frame(answer.scene, hole(draft["text"], draft["confidence"]), footer))
            time.sleep(_SLOW_MOTION)
        live.update(_last_frame(answer))


def _last_frame(answer: _Answer) -> Panel:
    text = answer.text
    last: Any = answer.drafts[-1] if answer.drafts else {"text": "", "confidence": []}
    if last["text"].startswith(text):
        drawn = hole(text, [pair for pair in last["confidence"] if pair[0] <= len(text)])
    else:
        drawn = Text(text, "green")
    return frame(answer.scene, drawn, answer.summary)


def _export(svg: Path, pictures: list[Panel]) -> None:
    console = Console(record=True, width=96, file=io.StringIO())
    console.print(Group(*pictures))
    try:
        console.save_svg(str(svg), title="dg-lsp demo")
    except OSError as error:
        raise CommandError(f"{svg} cannot be written: {error.strerror}.") from None
