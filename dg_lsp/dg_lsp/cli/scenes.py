"""The demo's source files, written for it, each with one cursor."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

CURSOR = "\u2038"
AUTOMATIC = 2


@dataclass(frozen=True)
class Scene:
    """A file and the place in it where a completion is asked for."""

    title: str
    name: str
    trigger: int
    marked: str

    @property
    def sides(self) -> tuple[str, str]:
        """The text before and after the cursor."""
        before, after = self.marked.split(CURSOR)
        return before, after


def scenes() -> list[Scene]:
    """The end of a line, the middle of a call, an empty body."""
    return [
        _scene("the end of a line", "weather.py", AUTOMATIC),
        _scene("the middle of a call", "inventory.py", AUTOMATIC),
        _scene("an empty body", "queue.py", AUTOMATIC),
    ]


def _scene(title: str, name: str, trigger: int) -> Scene:
    text = (files("dg_lsp.cli") / "demo_files" / f"{name}.txt").read_text("utf-8")
    return Scene(title, name, trigger, text)
