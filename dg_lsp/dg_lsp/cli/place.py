"""FILE:LINE:COL, and the text on both sides of that place."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from dg_lsp.cli.failure import CommandError

_LARGEST = 8 * 1024 * 1024
_DIGITS = 4000
"""Python reads no longer numbers."""


@dataclass(frozen=True)
class Place:
    """A file with a line and a column, both counted from 1, columns in characters."""

    file: Path
    line: int
    column: int


@dataclass(frozen=True)
class Sides:
    """A file's text before and after a place, with LF line ends."""

    prefix: str
    suffix: str


def parse_place(text: str) -> Place:
    """Split from the right, since a path may hold colons. Raises CommandError (code 2)."""
    file, line, column = (["", "", *text.rsplit(":", 2)])[-3:]
    if not file or not (_is_number(line) and _is_number(column)):
        raise CommandError(f"`{text}` is not FILE:LINE:COL with numbers from 1, like src/shop.py:12:18.", code=2)
    return Place(Path(file), int(line), int(column))


def read_sides(place: Place) -> Sides:
    """Read the file and cut it. Raises CommandError."""
    text = read_text(place.file)
    lines = text.split("\n")
    if place.line > len(lines):
        raise CommandError(f"{place.file} has {len(lines)} lines, line {place.line} was asked for.")
    line = lines[place.line - 1]
    if place.column > len(line) + 1:
        raise CommandError(
            f"Line {place.line} of {place.file} has {len(line)} characters, column {place.column} was asked for."
        )
    offset = sum(len(before) + 1 for before in lines[: place.line - 1]) + place.column - 1
    return Sides(text[:offset], text[offset:])


def read_text(file: Path) -> str:
    """A source file's text with LF line ends. Raises CommandError."""
    try:
        info = file.stat()
        if stat.S_ISDIR(info.st_mode):
            raise CommandError(f"{file} is a folder; a file was expected.")
        if not stat.S_ISREG(info.st_mode):
            raise CommandError(f"{file} is no regular file.")
        if info.st_size > _LARGEST:
            raise CommandError(f"{file} is larger than 8 MB and is not completed.")
        text = file.read_bytes().decode()
    except FileNotFoundError:
        raise CommandError(f"{file} does not exist.") from None
    except OSError as error:
        raise CommandError(f"{str(file)[:200]} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not UTF-8 text.") from None
    except ValueError as error:
        raise CommandError(f"This is no file name: {error}.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_number(text: str) -> bool:
    """From 1 to what any file may have."""
    return text.isdecimal() and len(text) <= _DIGITS and int(text) > 0
