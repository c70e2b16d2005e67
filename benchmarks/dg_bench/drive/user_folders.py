"""A user's folders inside of one that goes away: what tests and benchmarks keep servers and engines in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

XDG: Final = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


def user_folders(root: Path) -> dict[str, str]:
    """The environment that says where they are; they are made, for their owner only."""
    for name in XDG:
        (root / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    return {name: str(root / name) for name in XDG}
