"""Splitting text at the only line ends that LSP knows: CR LF, LF and CR."""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)")
_ANY_END: Final = re.compile(r"\r\n|\r")


def split(text: str) -> list[str]:
    """The lines of `text`, each with its line end; the last one, maybe empty, has none."""
    if "\r" not in text:
        parts = text.split("\n")
        last = parts.pop()
        return [*(part + "\n" for part in parts), last]
    lines = _LINE.findall(text)
    return [*lines, text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]]


def content(line: str) -> str:
    """A line without its line end."""
    if line.endswith("\n"):
        return line[:-2] if line.endswith("\r\n") else line[:-1]
    return line.removesuffix("\r")


def to_lf(text: str) -> str:
    """`text` with LF as its only line end."""
    return _ANY_END.sub("\n", text) if "\r" in text else text
