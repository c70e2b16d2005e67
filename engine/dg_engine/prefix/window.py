"""Where the encoder's window starts: at an anchor that stays put while somebody types, so that keys re-encode next to nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_BLOCK_START = re.compile(r"(?<=\n)(?=[^\s#)\]}])")
_LINE_START = re.compile(r"(?<=\n)")
_FINGERPRINT = 160
_CHARACTERS_A_TOKEN = 8
_REFILL = 0.4


@dataclass(frozen=True)
class Anchor:
    """The window's first character in the document, and the text there: an edit above moves the one, not the other."""

    offset: int
    head: str


@dataclass(frozen=True)
class Window:
    """The text that the encoder sees and where it starts."""

    anchor: Anchor
    text: str
    ids: list[int]


def choose_window(
    prefix: str, prefix_start: int, budget: int, encode: Callable[[str], list[int]], last: Anchor | None
) -> Window:
    """The window of at most `budget` tokens that ends where the prefix ends.

    The last anchor is kept while the text from it still fits, unless that is so little that the model would see next to nothing; else
    the window starts anew, at the first block (else line) that leaves it about 40 % full: room to grow, and a cold start costs less
    (measured: no loss).
    """
    if last is not None and (start := _find(prefix, prefix_start, last)) is not None:
        kept = _window(prefix, prefix_start, start, encode)
        if len(kept.ids) <= budget and (start == 0 or len(kept.ids) >= budget // 4):
            return kept
    tail_start = max(0, len(prefix) - budget * _CHARACTERS_A_TOKEN)
    whole = _window(prefix, prefix_start, tail_start, encode)
    if tail_start == 0 and len(whole.ids) <= budget:
        return whole
    target = max(tail_start, len(prefix) - _characters(prefix, int(budget * _REFILL), len(whole.ids) / max(1, len(whole.text))))
    for pattern in (_BLOCK_START, _LINE_START):
        for match in pattern.finditer(prefix, target):
            candidate = _window(prefix, prefix_start, match.start(), encode)
            if len(candidate.ids) <= budget and len(candidate.ids) >= budget // 4:
                return candidate
    return _cut(prefix, prefix_start, budget, encode)


def _characters(prefix: str, tokens: int, tokens_a_character: float) -> int:
    """About how many characters hold so many tokens."""
    return min(len(prefix), int(tokens / max(tokens_a_character, 1 / _CHARACTERS_A_TOKEN)))


def _cut(prefix: str, prefix_start: int, budget: int, encode: Callable[[str], list[int]]) -> Window:
    """A window that starts anywhere: for text without line breaks."""
    length = min(len(prefix), max(0, budget) * _CHARACTERS_A_TOKEN)
    while True:
        window = _window(prefix, prefix_start, len(prefix) - length, encode)
        if len(window.ids) <= budget or not length:
            return window
        length = length * budget // (len(window.ids) + 1)


def _window(prefix: str, prefix_start: int, start: int, encode: Callable[[str], list[int]]) -> Window:
    text = prefix[start:]
    return Window(Anchor(prefix_start + start, text[:_FINGERPRINT]), text, encode(text))


def _find(prefix: str, prefix_start: int, anchor: Anchor) -> int | None:
    """Where the anchor's text stands in this prefix: at its offset, or near it after an edit above; None when it is gone."""
    start = anchor.offset - prefix_start
    if start == 0 and not anchor.head:
        return 0
    if 0 <= start <= len(prefix) and _same_head(prefix, start, anchor.head):
        return start
    found = prefix.find(anchor.head) if len(anchor.head) == _FINGERPRINT else -1
    return found if found >= 0 else None


def _same_head(prefix: str, start: int, head: str) -> bool:
    """Equal as far as both go: the text behind a short window's head may have grown or shrunk."""
    here = prefix[start : start + len(head)]
    return here == head or here.startswith(head) or (len(head) < _FINGERPRINT and head.startswith(here[: len(head)]))
