"""Words as the index sees them: names and numbers, line ends, every other sign for itself; blanks do not count."""

from __future__ import annotations

import re
from typing import Final

WORD: Final = re.compile(r"\w+|\n|[^\w\s]")


def split_half(text: str) -> tuple[str, str]:
    """The text up to the word that its end stands in or behind, and that word, maybe empty: it may be half typed."""
    start = len(text)
    while start and _in_word(text[start - 1]):
        start -= 1
    return text[:start], text[start:]


def matched_words(before: str, other: str) -> int:
    """How many whole words `before` and `other` have in common at their ends."""
    shared = _common_end(before, other)
    same = before[len(before) - shared :]
    words = len(WORD.findall(same))
    cut = shared < len(before) and _in_word(before[-shared - 1]) and bool(same) and _in_word(same[0])
    cut = cut or (shared < len(other) and _in_word(other[-shared - 1]) and bool(same) and _in_word(same[0]))
    return words - cut


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _common_end(a: str, b: str) -> int:
    """By halving: slices are compared in C."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
