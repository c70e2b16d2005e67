"""How the demo draws a draft: the lines around the cursor, the hole's text coloured by how sure the model is of it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from dg_lsp.cli.scenes import Scene

AROUND = 3
_SHADES = ((0.85, "bold green"), (0.6, "green"), (0.35, "yellow"), (0.0, "red"))
MASK = "\u2591"


def shade(probability: float) -> str:
    """A rich style for a probability."""
    return next(style for least, style in _SHADES if probability >= least)


def hole(text: str, confidence: Sequence[Sequence[float]]) -> Text:
    """The hole's text, token by token; `confidence` holds (end offset, probability)."""
    drawn, start = Text(), 0
    for end, probability in confidence:
        drawn.append(text[start : int(end)], shade(probability))
        start = int(end)
    drawn.append(text[start:])
    return drawn


def frame(scene: Scene, inserted: Text, footer: str) -> Panel:
    """The place in the file with what stands in the hole now."""
    before, after = scene.sides
    head = Text("\n".join(before.split("\n")[-AROUND - 1 :]), "default")
    tail = Text("\n".join(after.split("\n")[: AROUND + 1]), "default")
    code = Text.assemble(head, inserted if inserted.plain else Text(MASK * 8, "dim"), tail)
    return Panel(Group(code, Text(footer, "dim")), title=f"{scene.name}: {scene.title}", title_align="left", width=96)
