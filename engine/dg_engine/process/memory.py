"""How much memory this process holds."""

from __future__ import annotations

import os
from pathlib import Path


def resident_bytes() -> int:
    """Resident set size in bytes; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
