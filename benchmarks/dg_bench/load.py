"""How busy the machine is with other things: what a figure was measured beside."""

from __future__ import annotations

import os
import time
from pathlib import Path

BUSY = 0.3
"""Load per core above which a row compares with nothing."""

_IDLE_COLUMNS = (3, 4)
"""Of the line `cpu` in /proc/stat: idle and waiting for input."""
_GUEST_COLUMNS = 8
"""From here on the line counts again what stands before."""


def load_per_core() -> float:
    """Load average of the last minute, per core; 0 where the system has none."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (OSError, AttributeError):
        return 0.0


class Others:
    """Processor time that other processes take while something is measured: what a load average at the start cannot know."""

    def __init__(self) -> None:
        self._started, self._busy, self._own = time.monotonic(), _busy_seconds(), _own_seconds()

    def per_core(self) -> float:
        """Share of each core, since this was made, that went to others; 0 where the system does not say."""
        passed = time.monotonic() - self._started
        if self._busy is None or (busy := _busy_seconds()) is None or passed <= 0:
            return 0.0
        others = (busy - self._busy) - (_own_seconds() - self._own)
        return max(0.0, others) / passed / (os.cpu_count() or 1)


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _busy_seconds() -> float | None:
    """Processor seconds since the machine started, of all processes; None where /proc is not Linux'."""
    try:
        columns = [int(c) for c in Path("/proc/stat").read_text("utf-8").split("\n", 1)[0].split()[1:]]
        ticks = os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return None
    return sum(c for i, c in enumerate(columns[:_GUEST_COLUMNS]) if i not in _IDLE_COLUMNS) / ticks
