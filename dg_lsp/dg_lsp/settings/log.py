"""Section `log`: how loud the log is, how it looks, and whether it may hold what documents hold."""

from __future__ import annotations

from typing import Annotated, Literal

from dg_lsp.settings.option import Option, Section


class LogSettings(Section, frozen=True):
    """How loud the log is, how it looks, and whether it may hold what documents hold."""

    level: Annotated[
        Literal["error", "warning", "info", "debug"],
        Option("What is worth a line; `log` itself may be this word alone.", "machine"),
    ] = "warning"
    format: Annotated[Literal["text", "json"], Option("Lines for people, or one JSON object a line.", "machine")] = "text"
    source_text: Annotated[bool, Option("Whether the log may hold text of your documents (at level `debug`).", "machine")] = (
        False
    )
