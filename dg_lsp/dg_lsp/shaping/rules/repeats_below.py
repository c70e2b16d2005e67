"""Lines that follow below the cursor already are not offered again."""

from __future__ import annotations

from dg_lsp.shaping.spot import Spot

NAME = "repeats-below"


def apply(text: str, spot: Spot) -> str:
    """`text` without last lines that the document goes on with."""
    if spot.line_after.strip():
        return text
    below = [line.rstrip() for line in spot.after.split("\n")[1:] if line.strip()]
    lines = text.split("\n")
    for start in range(len(lines)):
        written = [line.rstrip() for line in lines[start:] if line.strip()]
        if start == 0 and written:
            written[0] = spot.line_before + written[0]
        if written and written == below[: len(written)] and _says_something(written):
            return "\n".join(lines[:start]).rstrip()
    return text


def _says_something(lines: list[str]) -> bool:
    """A lone closer or `else:` below is no repetition to speak of when the text needs one itself."""
    return any(sum(map(str.isalnum, line)) > len("pass") for line in lines)
