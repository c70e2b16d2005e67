"""Where an engine's socket, lock and logs lie: folders of the user's own. Imports no torch."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from dg_engine.errors import EngineError

_NAME = "dg-lsp"
_NAME_BYTES = len("/0123456789ab.sock")
_LONGEST = 100
"""Bytes of a socket's path: the kernel takes 107, others less."""


class Places(NamedTuple):
    """The files of one engine."""

    socket: Path
    lock: Path
    log: Path
    output: Path
    """What it printed outside of its log: a crash, as a rule."""

    @property
    def port(self) -> Path:
        """Takes the socket's place where there are none: a file that names a port, and a token."""
        return self.socket.with_suffix(".port")

    @property
    def port_lock(self) -> Path:
        """The lock of an engine that listens on a port."""
        return lock_of(self.port)


def lock_of(path: Path) -> Path:
    """The lock of the engine whose socket, or port file, lies at a path in the runtime folder."""
    return path.with_suffix(".lock") if path.suffix == ".sock" else path.with_name(f"{path.name}.lock")


def places(identity: str) -> Places:
    """The places of the engine of this identity; their folders exist then. Raises EngineError."""
    logs = log_folder()
    socket = socket_folder() / f"{identity}.sock"
    return Places(socket, socket.with_suffix(".lock"), logs / f"engine-{identity}.log", logs / f"engine-{identity}.out")


def sockets() -> list[Path]:
    """Sockets and port files of all engines that run, or crashed and left theirs behind. Raises EngineError."""
    folder = socket_folder()
    return sorted([*folder.glob("*.sock"), *folder.glob("*.port")])


def socket_folder() -> Path:
    """The runtime folder, or where its path is too long for a socket in it, a short one in the temp folder. Raises EngineError."""
    runtime = runtime_folder()
    if len(os.fsencode(runtime)) + _NAME_BYTES <= _LONGEST:
        return runtime
    return owned(_temporary(hashlib.sha256(os.fsencode(runtime)).hexdigest()[:8]))


def runtime_folder() -> Path:
    """The folder of sockets and locks, made and checked. Raises EngineError.

    XDG_RUNTIME_DIR where it is set, else the folder that systemd makes for a user, else one in the temp folder.
    """
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(given):  # noqa: PTH117 - of a string that may be empty
        return owned(Path(given) / _NAME)
    system = Path(f"/run/user/{_user()}")
    return owned(system / _NAME if system.is_dir() else _temporary("runtime"))


def log_folder() -> Path:
    """The folder of engines' logs, made. Raises EngineError."""
    import platformdirs  # noqa: PLC0415 - a start of the front does not wait for it

    folder = Path(platformdirs.user_log_dir(_NAME, appauthor=False))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise EngineError(f"The log folder {folder} cannot be made: {error.strerror}.") from None
    return folder


def owned(folder: Path) -> Path:
    """The folder, made if need be, and nobody else's. Raises EngineError: a folder of others could hold a socket of theirs."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.lstat()
    except OSError as error:
        raise EngineError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    if sys.platform != "win32":
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid():
            raise EngineError(f"{folder} is not a folder of yours: remove it, or set XDG_RUNTIME_DIR to a folder that is.")
        if info.st_mode & 0o077:
            folder.chmod(0o700)
    return folder


def _temporary(name: str) -> Path:
    return Path(tempfile.gettempdir()) / f"{_NAME}-{_user()}-{name}"


def _user() -> int:
    return os.getuid() if sys.platform != "win32" else 0
