"""Where an engine listens: a Unix socket, or where there are none a loopback port that a file of the owner's names, with a token."""

from __future__ import annotations

import asyncio
import os
import secrets
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from dg_engine.errors import EngineError
from dg_engine.process.lock import is_held
from dg_engine.process.places import lock_of

LOOPBACK = "127.0.0.1"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Door(NamedTuple):
    """What a port file says."""

    port: int
    token: str


async def on_socket(path: Path, serve: Serve) -> asyncio.Server:
    """Listen at a path, for the owner only. Whoever calls holds the lock: a socket that stands there is a crashed engine's.

    Raises EngineError when something else stands there.
    """
    _clear(path)
    server = await asyncio.start_unix_server(serve, path)
    path.chmod(0o600)  # noqa: ASYNC240 - once, before anybody is served
    return server


async def on_port(path: Path, serve: Serve) -> tuple[asyncio.Server, str]:
    """Listen on a free loopback port; the file at `path` says which, and the token that is returned too."""
    server = await asyncio.start_server(serve, LOOPBACK, 0)
    token = secrets.token_urlsafe(32)
    fresh = path.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"{server.sockets[0].getsockname()[1]} {token}\n")
    fresh.replace(path)
    return server, token


def read_door(path: Path) -> Door:
    """What an engine's port file says. Raises OSError; FileNotFoundError too for another file, and when no engine holds its lock.

    A port that a dead engine has left may be anybody's by now, who must get neither token nor text.
    """
    try:
        port, token = path.read_text("ascii").split()
        door = Door(int(port), token)
    except ValueError:
        raise FileNotFoundError(f"{path} is no port file.") from None
    if not is_held(lock_of(path)):
        raise FileNotFoundError(f"The engine of {path} has ended.")
    return door


def _clear(path: Path) -> None:
    try:
        kind = path.lstat().st_mode
    except OSError:
        return
    if not stat.S_ISSOCK(kind):
        raise EngineError(f"{path} exists and is no socket: choose another path.")
    path.unlink()
