"""New lines are indented the way the document is: tabs in a tab file, blanks in any other."""

from __future__ import annotations

import re
from typing import Final

from dg_lsp.shaping import indentation
from dg_lsp.shaping.spot import Spot

NAME = "indentation-style"
_LEADS: Final = re.compile(r"(?<=\n)[ \t]+")
_FIRST_LEAD: Final = re.compile(r"\A[ \t]+")


def apply(text: str, spot: Spot) -> str:
    """`text` with the leading white space of its lines in the document's style."""
    style = indentation.of(spot.before + spot.after)
    text = _LEADS.sub(lambda match: style.restyle(match.group()), text)
    if spot.line_before.strip():
        return text
    return _FIRST_LEAD.sub(lambda match: style.restyle(match.group()), text)
