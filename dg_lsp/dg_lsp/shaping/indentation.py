"""How a document indents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LEAD: Final = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
DEFAULT_WIDTH: Final = 4
_SMALLEST: Final = 2  # one blank is alignment


@dataclass(frozen=True, slots=True)
class Indentation:
    """One level is a tab, or `width` blanks; where it is a tab, that many blanks of the model's count as one."""

    tabs: bool
    width: int

    @property
    def unit(self) -> str:
        """One level."""
        return "\t" if self.tabs else " " * self.width

    def restyle(self, lead: str) -> str:
        """Leading white space in the document's style."""
        if self.tabs:
            columns = len(lead.expandtabs(self.width))
            return "\t" * (columns // self.width) if " " in lead else lead
        return lead.expandtabs(self.width)


def of(text: str) -> Indentation:
    """The style of a text; four blanks when it has no indented line."""
    leads = _LEAD.findall(text)
    if any("\t" in lead for lead in leads):
        return Indentation(tabs=True, width=DEFAULT_WIDTH)
    widths = [len(lead) for lead in leads if len(lead) >= _SMALLEST]
    return Indentation(tabs=False, width=min(widths, default=DEFAULT_WIDTH))
