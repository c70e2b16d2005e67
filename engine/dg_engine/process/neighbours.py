"""The user's other engines, as far as memory goes: who is asked for it must know who holds it. Imports no torch."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

from dg_engine.errors import EngineError
from dg_engine.process.memory import resident_bytes
from dg_engine.process.peer import process_of
from dg_engine.process.places import sockets

_SECONDS = 1.0


def holders() -> list[str]:
    """One phrase for each engine that runs beside this one."""
    found = []
    with suppress(EngineError):
        for path in (one for one in sockets() if one.suffix == ".sock"):
            number = _listener(path)
            if number is not None and number != os.getpid():
                found.append(f"engine {path.stem} (process {number}) holds {resident_bytes(number) / 1e9:.1f} GB")
    return found


def _listener(path: Path) -> int | None:
    """The process that listens at a socket; None when none does, or the system does not say."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_SECONDS)
        connection.connect(os.fspath(path))
        return process_of(connection)
    return None
