"""Single-line holes cut out of our own source files, which no model was trained on: the same seed gives the same holes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib.resources import files
from importlib.resources.abc import Traversable

SOURCES = (
    ("dg_engine", "denoise"),
    ("dg_engine", "prefix"),
    ("dg_engine", "text"),
    ("dg_engine", "process"),
    ("dg_lsp", "documents"),
)
_FIRST_LINE, _SHORTEST = 12, 10


@dataclass(frozen=True)
class Item:
    """A hole: what stands before and after it, and what stood in it."""

    name: str
    prefix: str
    suffix: str
    gold: str


def items(count: int, seed: int) -> list[Item]:
    """Holes that begin at a word's end in the first two thirds of a line and end with the line; no comments, no docstrings."""
    drawn = random.Random(seed)  # noqa: S311 - a reproducible choice, no secret
    texts = sorted(_texts())
    found: list[Item] = []
    while len(found) < count:
        name, text = texts[drawn.randrange(len(texts))]
        item = _cut(name, text, drawn)
        if item is not None:
            found.append(item)
    return found


def similarity(text: str, gold: str) -> float:
    """Edit similarity from 0 to 1 of two stripped texts."""
    return SequenceMatcher(None, text.strip(), gold.strip(), autojunk=False).ratio()


def exact(text: str, gold: str) -> bool:
    """Equal up to blanks at the ends."""
    return text.strip() == gold.strip()


def _texts() -> Iterator[tuple[str, str]]:
    for package, folder in SOURCES:
        for file in _modules(files(package) / folder):
            yield f"{package}/{folder}/{file.name}", file.read_text("utf-8")


def _modules(folder: Traversable) -> Iterator[Traversable]:
    return (file for file in folder.iterdir() if file.name.endswith(".py") and file.name != "__init__.py")


def _cut(name: str, text: str, drawn: random.Random) -> Item | None:
    lines = text.split("\n")
    if len(lines) <= _FIRST_LINE:
        return None
    number = drawn.randrange(_FIRST_LINE, len(lines))
    line = lines[number]
    code = line.strip()
    if len(code) < _SHORTEST or code.startswith(("#", '"')) or not any(sign in code for sign in "=(.:"):
        return None
    start = len(line) - len(line.lstrip())
    column = start + drawn.randrange(1, len(code) * 2 // 3)
    while column < len(line) and (line[column].isalnum() or line[column] == "_"):
        column += 1
    if column >= len(line) - 1:
        return None
    offset = sum(len(before) + 1 for before in lines[:number]) + column
    return Item(f"{name}:{number + 1}:{column + 1}", text[:offset], text[offset + len(line) - column :], line[column:])
