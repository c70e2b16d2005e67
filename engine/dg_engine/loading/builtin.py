"""Where the built-in starter lies."""

from __future__ import annotations

from pathlib import Path


def builtin_folder() -> Path:
    """The model folder that comes with this package."""
    return Path(__file__).parents[1] / "data" / "starter"
