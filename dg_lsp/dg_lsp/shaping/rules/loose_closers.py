"""A closer that the text after the cursor brings is not offered a second time, nor one that nothing opens."""

from __future__ import annotations

from dg_lsp.shaping import block
from dg_lsp.shaping.brackets import CLOSERS, OPENERS, brackets, missing_openers, open_closers
from dg_lsp.shaping.spot import Spot

NAME = "loose-closers"


def apply(text: str, spot: Spot) -> str:
    """`text` up to the first closer that is not its to write."""
    if not CLOSERS.intersection(text):
        return text
    head = block.head(spot.before)
    waiting = open_closers(head)
    for _ in missing_openers(block.tail(spot.after)):
        if waiting:
            waiting.pop(0)
    for position, char in _brackets_behind(head, text):
        if char in OPENERS:
            waiting.append(OPENERS[char])
        elif waiting and waiting[-1] == char:
            waiting.pop()
        else:
            return text[:position].rstrip()
    return text


def _brackets_behind(head: str, text: str) -> list[tuple[int, str]]:
    """The brackets of `text`, scanned behind `head` so that a string opened there is known."""
    return [(position - len(head), char) for position, char in brackets(head + text) if position >= len(head)]
