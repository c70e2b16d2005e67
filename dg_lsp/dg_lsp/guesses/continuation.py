"""What stands behind a place elsewhere, cut to what could stand at the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dg_lsp.guesses.words import first_filled

REACH: Final = 1200
"""Characters that are looked at behind a place."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """What a continuation has to fit: `base` + `half` stands before the cursor, `half` being the word that may be half typed."""

    base: str
    half: str
    line_after: str
    """The rest of the cursor's line, without blanks at its ends."""
    next_line: str
    """The first line behind the cursor's that is not blank, without blanks at its ends."""
    max_lines: int

    @property
    def open_ended(self) -> str:
        """What is compared backwards: without the blanks before the cursor, which the index does not hold either."""
        return self.base.rstrip(" \t")


def continuation(cursor: Cursor, text: str, place: int) -> tuple[str, bool] | None:
    """What would be inserted if the text went on as it does behind `place`, and whether it then meets what follows the cursor.

    None where it does not go on so: another word than the half one, or nothing at all.
    """
    following = text[place : place + REACH]
    if cursor.base[-1:] in {" ", "\t"}:
        following = following.lstrip(" \t")
    if not following.startswith(cursor.half):
        return None
    following = following[len(cursor.half) :]
    if cursor.half and following[:1].isalnum() and cursor.line_after[:1].isalnum():
        return None
    line, _, rest = following.partition("\n")
    guess, meets = _line(cursor, line, rest)
    if cursor.max_lines > 1 and not cursor.line_after:
        guess = _block(guess, rest, cursor.max_lines)
    return (guess, meets) if guess.strip() else None


def _line(cursor: Cursor, line: str, rest: str) -> tuple[str, bool]:
    """The rest of the line: up to what stands behind the cursor already, if it comes to that."""
    line = line.rstrip()
    if not cursor.line_after:
        return line, bool(cursor.next_line) and first_filled(rest.split("\n", 4)[:4]) == cursor.next_line
    if line.endswith(cursor.line_after):
        return line[: len(line) - len(cursor.line_after)], True
    return line, False


def _block(first: str, rest: str, most: int) -> str:
    """The line with those behind it that are not less indented than the first of them."""
    kept, level = [first], None
    for line in rest.split("\n")[:-1][: most - 1]:
        indentation = len(line) - len(line.lstrip())
        if line.strip():
            level = indentation if level is None else level
            if indentation < level or level == 0:
                break
        kept.append(line)
    return "\n".join(kept).rstrip() if first.strip() or len(kept) > 1 else first
