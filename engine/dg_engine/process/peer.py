"""Who is at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import Final

_CREDENTIALS: Final = struct.Struct("3i")
"""pid, uid, gid."""


def is_ours(connection: socket.socket) -> bool:
    """Whether the peer runs as the same user. Where the system does not say (macOS, untested), the folder's mode keeps others out."""
    if sys.platform != "linux" or connection.family != socket.AF_UNIX:
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(credentials)
    return bool(user == os.getuid())
