"""Where the log goes, how loud it is and how it looks. It holds no source text unless the user asked for that."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dg_lsp.settings.model import LogSettings

ROOT: Final = "dg_lsp"
SOURCE: Final = "dg_lsp.source"
"""The only logger that may be given document text; silent unless `log.sourceText` is on."""

_LEVELS: Final = {"error": logging.ERROR, "warning": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG}


class OneLine(logging.Formatter):
    """Time, level, logger, message: a record a line, whatever the message quotes."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return super().format(record).replace("\r", "\\r").replace("\n", "\\n")


class JsonLines(logging.Formatter):
    """One JSON object a line: `time` (UTC), `level`, `logger`, `message`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": at, "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        return json.dumps(line)


_TEXT: Final = OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s")


def start(path: Path | None) -> None:
    """One handler for everything, to the file or to stderr; libraries' lines, which quote messages, are not wanted."""
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    complaint = ""
    if path is not None:
        try:
            handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            complaint = f"The log file {path} cannot be written ({error.strerror}); the log goes to stderr."
    handler.setFormatter(_TEXT)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # its reports quote reprs of messages
    logging.getLogger(SOURCE).setLevel(logging.CRITICAL)
    logging.raiseExceptions = False  # a broken stderr must not print tracebacks
    if complaint:
        logging.getLogger(ROOT).warning("%s", complaint)


def apply(settings: LogSettings) -> None:
    """Let settings take effect."""
    logging.getLogger(ROOT).setLevel(_LEVELS[settings.level])
    logging.getLogger(SOURCE).setLevel(logging.DEBUG if settings.source_text else logging.CRITICAL)
    formatter = JsonLines() if settings.format == "json" else _TEXT
    for handler in logging.getLogger().handlers:
        handler.setFormatter(formatter)


def source() -> logging.Logger:
    """The logger for document text."""
    return logging.getLogger(SOURCE)
