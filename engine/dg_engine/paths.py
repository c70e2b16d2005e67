"""Paths as people write them. Imports no torch."""

from __future__ import annotations

from pathlib import Path


def expanded(path: Path | str) -> Path:
    """With `~` and `~user` written out; a user who is not there leaves the path as it is, which then does not exist."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def absolute(path: Path | str) -> Path:
    """Expanded, and independent of the folder that a process runs in."""
    return expanded(path).absolute()
