"""What makes an engine a good neighbour: it gives way to everything else, and leaves half of the cores alone."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Final

_NICE: Final = 5


def give_way() -> None:
    """Below-normal priority for processor and disk, as far as the system has such things."""
    import psutil  # noqa: PLC0415 - only an engine of its own needs it

    process = psutil.Process()
    with contextlib.suppress(psutil.Error, OSError, AttributeError):
        if sys.platform == "win32":  # untested
            process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            process.nice(max(process.nice(), _NICE))
    with contextlib.suppress(psutil.Error, OSError, AttributeError):
        if sys.platform == "win32":
            process.ionice(psutil.IOPRIO_LOW)
        else:
            process.ionice(psutil.IOPRIO_CLASS_BE, 7)


def default_threads() -> int:
    """Half of the physical cores, one at least."""
    import psutil  # noqa: PLC0415 - as above

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 2
    return max(1, cores // 2)


def cut(path: Path, cap: int) -> None:
    """Keep the last `cap` bytes of a log that has grown over twice that."""
    with contextlib.suppress(OSError):
        if path.stat().st_size > 2 * cap:
            path.write_bytes(path.read_bytes()[-cap:])
