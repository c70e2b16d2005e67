"""Entry point of the engine process: `python -P -m dg_engine.process --fd N | --socket PATH`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence

from dg_engine.process.arguments import ServeArguments, parse
from dg_engine.process.server import EngineServer
from dg_engine.process.worker import Fills


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until the clients are gone or a signal comes; returns the exit code."""
    arguments = parse(sys.argv[1:] if argv is None else argv)
    os.umask(0o077)
    logging.basicConfig(
        filename=arguments.log_file, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        return asyncio.run(_serve(arguments))
    except OSError as error:
        sys.stderr.write(f"The engine cannot serve {arguments.socket or arguments.fd}: {error.strerror}.\n")
        return 1


async def _serve(arguments: ServeArguments) -> int:
    server = EngineServer(_loader(arguments))
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, server.leave, 0)
    if arguments.socket is not None:
        return await server.run_socket(arguments.socket)
    connection = socket.socket(fileno=arguments.fd)
    connection.setblocking(False)  # noqa: FBT003 - the standard library takes it by position
    reader, writer = await asyncio.open_connection(sock=connection)
    return await server.run_stream(reader, writer)


def _loader(arguments: ServeArguments) -> Callable[[Callable[[float, str], None]], Fills]:
    def load(progress: Callable[[float, str], None]) -> Fills:
        progress(0.0, "importing torch")
        from dg_engine.fill import Filler  # noqa: PLC0415  brings torch: a process that only connects must not wait for it
        from dg_engine.model import Model  # noqa: PLC0415

        model = Model.load(
            arguments.model,
            backbone=arguments.backbone,
            device=arguments.device,
            dtype=arguments.dtype,
            threads=arguments.threads,
            progress=progress,
        )
        return Filler(model)

    return load


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # the worker may be inside a torch operation, and interpreter shutdown would abort there
