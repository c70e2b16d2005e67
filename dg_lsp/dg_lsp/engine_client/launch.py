"""Getting a connected socket: to an engine that listens already, or to a private one that we start."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.util import find_spec

from dg_engine.errors import EngineError
from dg_engine.paths import absolute, expanded
from dg_lsp.engine_client.errors import UnavailableError
from dg_lsp.settings.model import EngineSettings


@dataclass(frozen=True, slots=True)
class Link:
    """A connected socket, the process behind it if it is ours, and what the engine wants to hear from us."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    process: subprocess.Popen[bytes] | None = None
    token: str | None = None


Launcher = Callable[[EngineSettings], Awaitable[Link]]
"""Raises UnavailableError when no engine can be had with these settings, OSError when one did not answer."""


async def launch(settings: EngineSettings) -> Link:
    """The engine that the settings ask for."""
    if settings.socket is not None:
        return await _attach(settings.socket, settings.token_file)
    _check(settings)
    if settings.mode == "shared":
        from dg_lsp.engine_client.shared import attach_or_start  # noqa: PLC0415 - what it imports waits until an engine is wanted

        return await attach_or_start(settings)
    return await _start(settings)


async def _attach(path: str, token_file: str | None) -> Link:
    token = await asyncio.to_thread(_token, token_file) if token_file else None
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except (OSError, ValueError) as error:
        sentence = f"No engine can be reached at {path}: start one with `dg-lsp engine serve --socket {path}`."
        raise UnavailableError(sentence) from error
    return Link(reader, writer, token=token)


def _token(path: str) -> str:
    try:
        return expanded(path).read_text("utf-8").split("\n", 1)[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"The token file {path} cannot be read: mend dgLsp.engine.tokenFile.") from error


def _check(settings: EngineSettings) -> None:
    """Raises UnavailableError when no engine of ours can be started."""
    if find_spec("torch") is None:
        raise UnavailableError(
            "The engine is not installed: run `pip install 'dg-lsp[engine]'`, or set dgLsp.engine.socket to one that runs."
        )
    if settings.model is not None and not _is_folder(settings.model):
        raise UnavailableError(
            f"The model folder {settings.model} does not exist: mend dgLsp.engine.model (or --model), or leave it out."
        )


async def _start(settings: EngineSettings) -> Link:
    from dg_engine.process.spawn import embedded  # noqa: PLC0415 - subprocess and its imports wait until an engine is wanted

    try:
        process, ours = embedded(arguments(settings))
    except EngineError as error:
        raise UnavailableError(str(error)) from error
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    return Link(reader, writer, process)


def _is_folder(path: str) -> bool:
    try:
        return expanded(path).is_dir()
    except (OSError, ValueError):  # a name too long, half a character
        return False


def arguments(settings: EngineSettings) -> list[str]:
    """The command line of a private engine."""
    given = {
        "--model": str(absolute(settings.model)) if settings.model else None,
        "--backbone": settings.backbone,
        "--device": settings.device,
        "--dtype": settings.dtype,
        "--threads": settings.threads,
        "--memory-limit-gb": settings.memory_limit_gb,
        "--idle-minutes": settings.idle_minutes,
    }
    return [part for name, value in given.items() if value is not None for part in (name, str(value))]
