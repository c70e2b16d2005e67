"""Single-line holes cut out of the files in `data`, which no model was trained on: the same seed gives the same holes."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib.resources import files

_LINES_BEFORE, _LINES_AFTER = 12, 10
"""Kept free at both ends of a file, so that every prefix is worth encoding and every suffix fills the canvas' pins."""
_SHORTEST = 10


@dataclass(frozen=True)
class Item:
    """A hole: what stands before and after it, and what stood in it."""

    name: str
    prefix: str
    suffix: str
    gold: str


def items(count: int, seed: int) -> list[Item]:
    """Holes in as many different lines, each from a word's end in the first two thirds of its line to the line's end.

    Comments, docstrings and texts of several lines are left out. Raises ValueError when there are not so many lines.
    """
    drawn = random.Random(seed)  # noqa: S311 - a reproducible choice, no secret
    places = [(name, text, number) for name, text in sources() for number in _code_lines(text)]
    if not 1 <= count <= len(places):
        raise ValueError(f"from 1 to {len(places)} holes can be cut, not {count}.")
    return [_cut(name, text, number, drawn) for name, text, number in drawn.sample(places, count)]


def sources() -> list[tuple[str, str]]:
    """Name and text of each file in `data`."""
    folder = files("dg_bench") / "data"
    found = (file for file in folder.iterdir() if file.name.endswith(".py.txt"))
    return sorted((file.name.removesuffix(".txt"), file.read_text("utf-8")) for file in found)


def similarity(text: str, gold: str) -> float:
    """Edit similarity from 0 to 1 of two stripped texts."""
    return SequenceMatcher(None, text.strip(), gold.strip(), autojunk=False).ratio()


def exact(text: str, gold: str) -> bool:
    """Equal up to blanks at the ends."""
    return text.strip() == gold.strip()


def _code_lines(text: str) -> Iterator[int]:
    """Indices of the lines that a hole can be cut into."""
    lines = text.split("\n")
    prose = _prose(text)
    for number in range(_LINES_BEFORE, len(lines) - _LINES_AFTER):
        code = lines[number].strip()
        if len(code) >= _SHORTEST and not code.startswith("#") and number not in prose and _columns(lines[number]):
            yield number


def _prose(text: str) -> set[int]:
    """Indices of the lines of docstrings and of strings that go over several lines."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        statement = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        string = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.end_lineno != node.lineno
        if (statement or string) and isinstance(node, ast.Expr | ast.Constant):
            found.update(range(node.lineno - 1, node.end_lineno or node.lineno))
    return found


def _columns(line: str) -> list[int]:
    """Ends of words in the first two thirds of a line's code that leave more than one sign to write."""
    start = len(line) - len(line.lstrip())
    last = start + (len(line) - start) * 2 // 3
    return [
        c for c in range(start + 1, last + 1) if _is_word(line[c - 1]) and not _is_word(line[c]) and len(line[c:].strip()) > 1
    ]


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _cut(name: str, text: str, number: int, drawn: random.Random) -> Item:
    lines = text.split("\n")
    line = lines[number]
    column = drawn.choice(_columns(line))
    offset = sum(len(before) + 1 for before in lines[:number]) + column
    return Item(f"{name}:{number + 1}:{column + 1}", text[:offset], text[offset + len(line) - column :], line[column:])
