"""Who is at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import Final

_CREDENTIALS: Final = struct.Struct("3i")


def is_ours(connection: socket.socket) -> bool:
    """Whether the peer runs as the same user. Where the system does not say (macOS, untested), the folder's mode keeps others out."""
    credentials = _credentials(connection)
    return credentials is None or credentials[1] == os.getuid()


def process_of(connection: socket.socket) -> int | None:
    """The process at the other end; None where the system does not say."""
    credentials = _credentials(connection)
    return None if credentials is None else credentials[0]


def _credentials(connection: socket.socket) -> tuple[int, int, int] | None:
    """Process, user and group."""
    if sys.platform != "linux" or connection.family != socket.AF_UNIX:
        return None
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, group = _CREDENTIALS.unpack(raw)
    return process, user, group
