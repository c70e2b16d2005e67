"""The enclosing top-level block, the window of rules that parse."""

from __future__ import annotations

from typing import Final

LINES: Final = 400


def head(before: str) -> str:
    """The part of `before` in the cursor's top-level block: from the last line that starts a statement at column 0.

    Lines at column 0 that only close a bracket do not start one. The cursor's own line always belongs to the block.
    """
    lines = before.split("\n")[-LINES:]
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line[:1].strip() and line[0] not in ")]}" and not lines[index - 1].rstrip().endswith(("(", "[", "{", ",")):
            return "\n".join(lines[index:])
    return "\n".join(lines)


def tail(after: str) -> str:
    """The part of `after` in the cursor's top-level block: up to the next line that starts a statement at column 0."""
    lines = after.split("\n")[:LINES]
    for index in range(1, len(lines)):
        if lines[index][:1].strip() and lines[index][0] not in ")]}":
            return "\n".join(lines[:index])
    return "\n".join(lines)
