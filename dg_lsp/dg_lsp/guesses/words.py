"""Words as the index sees them: names and numbers, line ends, every other sign for itself; blanks do not count."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from dg_lsp.documents.place import common_suffix

WORD: Final = re.compile(r"\w+|\n|[^\w\s]")


def split_half(text: str) -> tuple[str, str]:
    """The text up to the word that its end stands in or behind, and that word, maybe empty: it may be half typed."""
    start = len(text)
    while start and _in_word(text[start - 1]):
        start -= 1
    return text[:start], text[start:]


def first_filled(lines: Iterable[str]) -> str:
    """The first line that is not blank, without blanks at its ends; empty where there is none."""
    return next((stripped for line in lines if (stripped := line.strip())), "")


def matched_words(before: str, other: str) -> int:
    """How many whole words `before` and `other` have in common at their ends."""
    shared = common_suffix(before, other)
    same = before[len(before) - shared :]
    words = len(WORD.findall(same))
    cut = shared < len(before) and _in_word(before[-shared - 1]) and bool(same) and _in_word(same[0])
    cut = cut or (shared < len(other) and _in_word(other[-shared - 1]) and bool(same) and _in_word(same[0]))
    return words - cut


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
