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
    found = list(brackets(head + text))  # in one go, so that a string opened in the head is known
    waiting = open_closers((position, char) for position, char in found if position < len(head))
    for _ in missing_openers(block.tail(spot.after)):
        if waiting:
            waiting.pop(0)
    for position, char in found:
        if position < len(head):
            continue
        if char in OPENERS:
            waiting.append(OPENERS[char])
        elif waiting and waiting[-1] == char:
            waiting.pop()
        else:
            return text[: position - len(head)].rstrip()
    return text
