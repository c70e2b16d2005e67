"""How much memory a process holds."""

from __future__ import annotations

import os
from pathlib import Path


def resident_bytes(process: int | None = None) -> int:
    """Resident set size in bytes, of this process or another; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process or 'self'}/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
