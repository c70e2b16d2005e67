"""Serving one editor over stdin and stdout: what the command line calls."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from typing import Final

from dg_lsp import logs
from dg_lsp.cli.arguments import ServeArguments
from dg_lsp.server import FrontServer, create_server
from dg_lsp.settings.environment import tree_from

log = logging.getLogger(__name__)

LEAVE_SECONDS: Final = 1.5
"""However stuck something is: after that long the process is gone."""


def serve(arguments: ServeArguments) -> int:
    """Serve until the client leaves; returns the exit code. Ends the process itself when a thread would hold it up."""
    try:
        incoming, outgoing = _claim_stdio()
    except OSError:
        sys.stderr.write("dg-lsp: stdin or stdout is closed; a language client opens both.\n")
        return 1
    logs.start(arguments.log_file)
    if arguments.unknown:
        log.warning("Options that are not known here were passed over: %s", " ".join(arguments.unknown)[:200])
    given = {"model": arguments.model, "socket": arguments.engine_socket, "tokenFile": arguments.engine_token_file}
    server = create_server(command_line={"engine": given}, environment=tree_from(os.environ))
    try:
        code = asyncio.run(_run(server, arguments, incoming, outgoing))
    except KeyboardInterrupt:
        code = 1
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        _end_process(code)
    return code


async def _run(server: FrontServer, arguments: ServeArguments, incoming: int, outgoing: int) -> int:
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(NotImplementedError, AttributeError):  # Windows has neither
            loop.add_signal_handler(getattr(signal, name), server.leave)
    server.watch_editor(arguments.client_process_id)
    server.on_leave = lambda: _guard(0 if server.protocol.shut_down else 1)
    return await server.run(incoming, outgoing)


def _guard(code: int) -> None:
    """From when the server was told to end: whatever it hangs on, the process is gone in time."""
    timer = threading.Timer(LEAVE_SECONDS, _end_process, [code])
    timer.daemon = True
    timer.start()


def _claim_stdio() -> tuple[int, int]:
    """Keep the protocol's descriptors to ourselves: whatever else prints goes to stderr, whatever else reads gets nothing."""
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return incoming, outgoing


def _end_process(code: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
