"""When a resident engine leaves by itself: its socket is gone or replaced, nobody asks it anything, or a newer version is installed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dg_engine.messages import Bye

LOOK_SECONDS: Final = 1.0
"""How often it is looked at."""
OUTDATED_SECONDS: Final = 60.0
"""How long an engine that a newer front has met goes on without a job."""


@dataclass
class Residence:
    """Judges; asked every LOOK_SECONDS by the server. Times are time.monotonic() seconds."""

    path: Path
    idle_seconds: float
    stays_while_attached: bool
    """The built-in starter: it is small, and a window that is open will ask again."""
    busy: Callable[[], bool]
    attached: Callable[[], bool]
    outdated: bool = False
    last_job: float = field(default_factory=time.monotonic)
    _inode: tuple[int, int] | None = None

    def settle(self) -> None:
        """The socket stands at its path now."""
        self._inode = _inode(self.path)

    def reason_to_leave(self, now: float) -> Bye | None:
        """None while it stays."""
        if _inode(self.path) != self._inode:
            return Bye(reason="stop", sentence="The engine's socket was removed.")
        if self.busy():
            self.last_job = now
            return None
        if self.outdated and now - self.last_job >= OUTDATED_SECONDS:
            return Bye(reason="upgrade", sentence="A newer version has been installed.")
        if now - self.last_job < self.idle_seconds or (self.stays_while_attached and self.attached()):
            return None
        return Bye(reason="idle", sentence="Nobody has asked the engine anything for a while.")

    def clear(self) -> None:
        """Remove the socket, if it is still ours."""
        if _inode(self.path) == self._inode:
            self.path.unlink(missing_ok=True)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
