"""The engine that all of a user's windows share: found at its socket, or started when nobody answers there."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from dg_engine.errors import EngineError
from dg_engine.paths import absolute
from dg_engine.process.identity import Wanted, identity
from dg_engine.process.listen import LOOPBACK, read_door
from dg_engine.process.lock import is_held
from dg_engine.process.places import Places, places
from dg_engine.process.spawn import shared
from dg_lsp.engine_client.errors import UnavailableError
from dg_lsp.engine_client.launch import Link, arguments
from dg_lsp.settings.model import EngineSettings

START_SECONDS: Final = 20.0
"""How long an engine may take until it listens; it loads its model after that."""
_TRY_SECONDS: Final = 0.02
_LOCK_SECONDS: Final = 4.0
"""How long an engine that was started may take until it holds its lock, which it takes before anything slow."""


def wanted(settings: EngineSettings) -> Wanted:
    """The engine that the settings ask for."""
    model = absolute(settings.model) if settings.model else None
    return Wanted(model=model, device=settings.device, dtype=settings.dtype, backbone=settings.backbone)


async def attach_or_start(settings: EngineSettings) -> Link:
    """A connection to the shared engine. Raises UnavailableError, and OSError when one was started and does not listen."""
    try:
        place = await asyncio.to_thread(lambda: places(identity(wanted(settings))))
        port = settings.transport == "port" or (settings.transport == "auto" and sys.platform == "win32")
        words = [*arguments(settings), *(["--port"] if port else [])]
        return await _connected(place, partial(shared, words, place.output), port=port)
    except EngineError as error:
        raise UnavailableError(str(error)) from error


async def _connected(place: Places, start: Callable[[], None], *, port: bool) -> Link:
    """Try, start once, try again: an engine that is leaving may answer the first time and be gone the second."""
    loop = asyncio.get_running_loop()
    end, started_at = loop.time() + START_SECONDS, 0.0
    lock = place.port_lock if port else place.lock
    while True:
        try:
            return await (_through_port(place) if port else _through_socket(place))
        except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
            if not started_at:
                await asyncio.to_thread(start)
                started_at = loop.time()
            elif loop.time() - started_at > _LOCK_SECONDS and not is_held(lock):
                raise UnavailableError(_ended(place)) from None
        if loop.time() > end:
            raise TimeoutError(f"The engine was started and does not answer; what it printed is in {place.output}.")
        await asyncio.sleep(_TRY_SECONDS)


def _ended(place: Places) -> str:
    """What is known of an engine that ended before it listened."""
    try:
        printed = place.output.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        printed = []
    last = f" Its last words: {printed[-1][:300]}" if printed else ""
    return f"The engine ended while it was starting; what it printed is in {place.output}.{last}"


async def _through_socket(place: Places) -> Link:
    return Link(*await asyncio.open_unix_connection(place.socket))


async def _through_port(place: Places) -> Link:
    door = read_door(place.port)
    return Link(*await asyncio.open_connection(LOOPBACK, door.port), token=door.token)
