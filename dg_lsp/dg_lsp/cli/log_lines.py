"""A log's records without those that hold text of documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from dg_lsp.logs import ROOT, SOURCE

_RECORD: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ [A-Z]+ (?P<logger>[\w.]+): (?P<message>.*)")
_SETTINGS: Final = "settings: "


def without_source(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are safe to show, in either format. A record is one line; what is none is left out: nobody knows what it quotes."""
    for line in lines:
        logger, _ = _record(line)
        if logger.startswith(ROOT) and logger != SOURCE:
            yield line


def last_settings(lines: Iterable[str]) -> str | None:
    """The settings that a server logged last, as JSON; None when it logged none (level `info` does)."""
    messages = [message for logger, message in map(_record, lines) if logger != SOURCE]
    found = [message.removeprefix(_SETTINGS) for message in messages if message.startswith(_SETTINGS)]
    return found[-1] if found else None


def _record(line: str) -> tuple[str, str]:
    """Logger and message; empty for what is no record."""
    if (match := _RECORD.fullmatch(line)) is not None:
        return match["logger"], match["message"]
    try:
        record: Any = json.loads(line)
    except ValueError:
        return "", ""
    if not isinstance(record, dict) or not {"time", "level", "logger", "message"} <= record.keys():
        return "", ""
    return str(record["logger"]), str(record["message"])
