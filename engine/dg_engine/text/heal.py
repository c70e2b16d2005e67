"""Token healing: the last tokens before the cursor are given back, so that the hole's first token may continue them.

A half-typed word is tokenized otherwise than the whole word (`wid|th` against `width`); the same holds for blanks and line breaks
that the next token would have swallowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dg_engine.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Healed:
    """Prefix ids that stay, the bytes that the first open row must begin with, and the ids that do."""

    kept: list[int]
    dropped: bytes
    allowed: list[int]
    """Empty when nothing was dropped: then any id may follow."""


def heal(ids: Sequence[int], vocabulary: Vocabulary, most: int = 4) -> Healed:
    """Give back the longest tail of at most `most` tokens that a single id still begins with.

    A tail that no longer id continues is given back too when it is one token: the id itself is then the only choice, and costs a
    row; so that tail stays in the prefix instead.
    """
    best, dropped = len(ids), b""
    for start in range(len(ids) - 1, max(-1, len(ids) - 1 - most), -1):
        tail = b"".join(vocabulary.bytes[id_] for id_ in ids[start:])
        if not vocabulary.bytes[ids[start]] or not vocabulary.has_continuing(tail):
            break
        best, dropped = start, tail
    allowed = vocabulary.continuing(dropped) if dropped else []
    if len(allowed) == 1 and vocabulary.bytes[allowed[0]] == dropped:
        return Healed(list(ids), b"", [])
    return Healed(list(ids[:best]), dropped, allowed)
