"""Holes: the rest of a line of code, cut at a word's end in its first two thirds."""

from __future__ import annotations

import random
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

SHORTEST, LONGEST = 12, 70
"""Characters of the lines that are cut, without indentation."""
_LEAST_REST = 2


@dataclass(frozen=True)
class Source:
    """One file: its name, the package that it belongs to (guesses come from there), its text with LF."""

    name: str
    package: str
    text: str


@dataclass(frozen=True)
class Hole:
    """A place in a file, and what stood there up to the line's end."""

    source: Source
    line: int
    """From 0."""
    column: int
    rest: str


def sources(paths: Sequence[Path]) -> list[Source]:
    """The Python files of folders, each a package, and single files. Raises OSError."""
    found = []
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            text = file.read_bytes().decode("utf-8", "replace")
            if "\r" not in text and "\ufffd" not in text:
                name = f"{path.name}/{file.relative_to(path).as_posix()}" if path.is_dir() else file.name
                found.append(Source(name, path.name, text))
    return found


def holes(files: Sequence[Source], count: int, seed: int) -> list[Hole]:
    """`count` holes, equally from the packages as far as they go; the same seed gives the same ones. Raises ValueError."""
    drawn = random.Random(seed)  # noqa: S311 - a reproducible choice, no secret
    pools: dict[str, list[Hole]] = {}
    for file in files:
        pools.setdefault(file.package, []).extend(_holes_of(file, drawn))
    for pool in pools.values():
        drawn.shuffle(pool)
    chosen: list[Hole] = []
    while len(chosen) < count and any(pools.values()):
        chosen += [pool.pop() for pool in pools.values() if pool][: count - len(chosen)]
    if not chosen:
        raise ValueError("no line of code in these files can be cut.")
    return chosen


def _holes_of(file: Source, drawn: random.Random) -> Iterator[Hole]:
    try:
        prose = _prose_lines(file.text)
    except (SyntaxError, tokenize.TokenError):
        return
    for number, line in enumerate(file.text.split("\n")):
        code = line.strip()
        if number in prose or not SHORTEST <= len(code) <= LONGEST:
            continue
        start = len(line) - len(line.lstrip())
        column = start + int(drawn.random() * len(code) * 2 / 3)
        word = re.compile(r"\w*").match(line, column)
        column = word.end() if word else column
        if len(line.rstrip()) - column >= _LEAST_REST:
            yield Hole(file, number, column, line[column:].rstrip())


def _prose_lines(text: str) -> set[int]:
    """Lines that a comment or a string of several lines touches, from 0."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(text).readline):
        several = token.start[0] != token.end[0]
        docstring = token.type == tokenize.STRING and (several or token.string[-3:] in {'"""', "'''"})
        if token.type == tokenize.COMMENT or docstring:
            lines.update(range(token.start[0] - 1, token.end[0]))
    return lines
