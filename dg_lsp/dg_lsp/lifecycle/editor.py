"""Watches the editor's process: a server whose editor was killed must not stay, even when its stdin is held open."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

POLL_SECONDS: Final = 0.4
_START_TIME: Final = 19  # fields of /proc/PID/stat behind the name: 0 is the state, 19 the start time
_DEAD: Final = ("Z", "X")


def started(pid: int) -> str | None:
    """What tells this process from a later one of the same number, or None when it does not run (any more)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None if Path("/proc/self/stat").exists() else _exists(pid)
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in _DEAD else fields[_START_TIME]


class EditorWatch(threading.Thread):
    """Calls `gone`, from its own thread, when the process has ended. Not armed by a pid that is not there at the start."""

    def __init__(self, pid: int, gone: Callable[[], None]) -> None:
        super().__init__(name="dg-lsp editor watch", daemon=True)
        self._pid = pid
        self._gone = gone
        self._ended = threading.Event()
        self._identity = started(pid)

    def arm(self) -> bool:
        """Begin to watch, if the process exists; the number may come from another container or machine."""
        if self._identity is None:
            return False
        self.start()
        return True

    def stop(self) -> None:
        """Watch no more."""
        self._ended.set()

    def run(self) -> None:
        """Look now and then."""
        while not self._ended.wait(POLL_SECONDS):
            if started(self._pid) != self._identity:
                self._gone()
                return


def _exists(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:  # it runs, as somebody else
        return "running"
    return "running"
