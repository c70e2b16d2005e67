"""Keys as somebody types them: some words at one place, then a jump."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

_BURST: Final = 20


@dataclass(frozen=True)
class Key:
    """What is inserted, and where: a line and a column of plain ASCII text."""

    line: int
    character: int
    text: str


def keys(text: str, count: int, drawn: random.Random) -> list[Key]:
    """So many keys, in bursts inside of words all over the text; none makes a line."""
    lines = text.count("\n")
    typed: list[Key] = []
    while len(typed) < count:
        line, column = drawn.randrange(lines), drawn.randint(1, 4)
        typed += [Key(line, column + number, drawn.choice("abcdefgh")) for number in range(_BURST)]
    return typed[:count]
