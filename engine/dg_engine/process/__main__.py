"""Entry point of the engine process: `python -P -m dg_engine.process --fd N | --socket PATH`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from dg_engine.errors import EngineError, JobError, ModelError, TooLittleMemoryError
from dg_engine.loading.sound import reading
from dg_engine.messages import FillJob
from dg_engine.paths import absolute
from dg_engine.process.arguments import ServeArguments, parse
from dg_engine.process.identity import Wanted, identity
from dg_engine.process.lock import EngineLock
from dg_engine.process.manners import default_threads, give_way
from dg_engine.process.neighbours import holders
from dg_engine.process.places import Places, places
from dg_engine.process.server import EngineServer
from dg_engine.process.worker import Fills
from dg_engine.steps import finish

if TYPE_CHECKING:
    from dg_engine.fill import Filler

_LOG_BYTES = 1024 * 1024
_LOCK_TRIES, _LOCK_TRY_SECONDS = 60, 0.05
_TAKEN = 3
"""Exit code of an engine that found another one at its place."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until the clients are gone, a signal comes or nobody needs it; returns the exit code."""
    arguments = parse(sys.argv[1:] if argv is None else argv)
    os.umask(0o077)
    try:
        place = None if arguments.fd is not None else _place(arguments)
        _log_to(arguments.log_file or (place.log if place and arguments.socket is None else None))
        return asyncio.run(_serve(arguments, place))
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
    except OSError as error:  # what cannot be listened on; a path that is too long has no errno
        where = arguments.socket or arguments.fd or "its socket"
        sys.stderr.write(f"The engine cannot serve {where}: {error.strerror or error}.\n")
    return 1


def _wanted(arguments: ServeArguments) -> Wanted:
    model = absolute(arguments.model) if arguments.model else None
    return Wanted(model=model, device=arguments.device, dtype=arguments.dtype, backbone=arguments.backbone)


def _place(arguments: ServeArguments) -> Places:
    """The shared engine's, or those around a given socket."""
    if arguments.socket is None:
        return places(identity(_wanted(arguments)))
    socket_path = absolute(arguments.socket)
    return Places(socket_path, socket_path.with_name(socket_path.name + ".lock"), Path(os.devnull), Path(os.devnull))


def _log_to(path: Path | None) -> None:
    """To a file that is kept short, or to stderr."""
    form = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler: logging.Handler = logging.StreamHandler()
    if path is not None:
        try:
            handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise EngineError(f"The log file {path} cannot be written: {error.strerror}.") from None
    handler.setFormatter(form)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if path is not None:  # stderr may be somebody's terminal
        logging.getLogger("dg_engine").setLevel(logging.INFO)


async def _serve(arguments: ServeArguments, place: Places | None) -> int:
    server = EngineServer(_loader(arguments), place.socket.stem if place else "", _token(arguments.token_file))
    loop = asyncio.get_running_loop()
    draining: list[asyncio.Task[None]] = []
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, lambda: draining.append(asyncio.create_task(server.drain())))
    if place is not None:
        return await _reside(server, arguments, place)
    try:
        connection = socket.socket(fileno=arguments.fd)
        connection.setblocking(False)  # noqa: FBT003 - the standard library takes it by position
    except OSError as error:
        raise EngineError(f"Descriptor {arguments.fd} is no connected socket: {error.strerror}.") from None
    reader, writer = await asyncio.open_connection(sock=connection)
    return await server.run_stream(reader, writer)


def _token(file: Path | None) -> str | None:
    """The first line of the file. Raises EngineError."""
    if file is None:
        return None
    try:
        token = file.read_text("utf-8").split("\n", 1)[0].strip()
    except OSError as error:
        raise EngineError(f"The token file {file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise EngineError(f"The token file {file} is no text.") from None
    if not token:  # one that everybody knows
        raise EngineError(f"The first line of the token file {file} is empty.")
    return token


async def _reside(server: EngineServer, arguments: ServeArguments, place: Places) -> int:
    """Take the lock before torch is imported: of several that start at once, those that lose cost nothing."""
    path = place.port if arguments.port else place.socket
    lock = EngineLock(place.port_lock if arguments.port else place.lock)
    if not await _taken(lock, path):
        sys.stderr.write(f"An engine serves {path} already.\n")
        return _TAKEN
    give_way()
    if sys.stderr.isatty():
        sys.stderr.write(f"Serving {path}; the log: {arguments.log_file or place.log}. Ctrl-C ends it.\n")
    idle_seconds, starter = arguments.idle_minutes * 60, arguments.model is None
    try:
        return await server.run_socket(path, idle_seconds, stays_while_attached=starter, port=arguments.port)
    finally:
        lock.give_back()


async def _taken(lock: EngineLock, path: Path) -> bool:
    """Whether the lock is ours; one whose holder has no socket any more is about to be given back."""
    for _ in range(_LOCK_TRIES):
        if lock.take():
            return True
        if path.exists():  # noqa: ASYNC240 - nobody is served yet
            return False
        await asyncio.sleep(_LOCK_TRY_SECONDS)
    return False


def _loader(arguments: ServeArguments) -> Callable[[Callable[[float, str], None]], Fills]:
    limit = None if arguments.memory_limit_gb is None else int(arguments.memory_limit_gb * 1e9)

    def load(progress: Callable[[float, str], None]) -> Fills:
        progress(0.0, "importing torch")
        from dg_engine.fill import Filler  # noqa: PLC0415  brings torch: a process that only connects must not wait for it
        from dg_engine.loading.device import slot_budget  # noqa: PLC0415
        from dg_engine.model import Model  # noqa: PLC0415

        try:
            model = Model.load(
                arguments.model,
                backbone=arguments.backbone,
                device=arguments.device,
                dtype=arguments.dtype,
                threads=arguments.threads or default_threads(),
                memory_limit=limit,
                progress=progress,
            )
        except TooLittleMemoryError as error:
            raise TooLittleMemoryError(" ".join([str(error), *(f"{holder}." for holder in holders())])) from None
        network, backbone = model.folder.network, model.backbone
        filler = Filler(model, slot_budget(network, backbone.device, backbone.dtype, limit))
        _try_out(filler, model.folder.path)
        return filler

    return load


def _try_out(filler: Filler, folder: Path) -> None:
    """One small completion: a model that cannot do that is refused now, with its name, and not at every job. It warms caches too.

    Raises ModelError.
    """
    try:
        with reading(folder):
            finish(filler.fill(FillJob(id=0, document="", prefix="def f(x):\n    return ", suffix="\n")))
    except JobError as error:
        raise ModelError(f"The model in {folder} was loaded and cannot complete anything. {error}") from None
    filler.slots.clear()


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # the worker may be inside a torch operation, and interpreter shutdown would abort there
