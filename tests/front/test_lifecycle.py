"""How the server ends: in two seconds, with the right code, with its private engine, even in mid-generation."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import weakref
from functools import partial
from pathlib import Path

import pytest

from dg_bench.drive.client import SERVER, WAIT, Client, ServerGoneError, plain_params
from dg_bench.drive.document import Document
from dg_bench.drive.processes import EditorThatDies, alive, children, until
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Serve, Served
from dg_lsp.lifecycle.editor import EditorWatch, started
from dg_lsp.server import create_server
from dg_lsp.transport.framing import frame


def busy(serve: Serve) -> Served:
    """A server in the middle of a job."""
    served = serve(Script(rules=[Rule(passes=100_000, pass_ms=5)]))
    Document(served.client, "x = ‸\n").begin()
    served.engine.wait_for(lambda engine: engine.passes > 1, "a pass")
    return served


def left(served: Served) -> int:
    """Its exit code. How long it takes is measured by `dg-lsp bench front`."""
    return served.client.exit_code()


def test_exit_after_shutdown(serve: Serve) -> None:
    """Code 0."""
    served = busy(serve)
    with served.client.in_one_write():
        served.client.begin("shutdown")
        served.client.notify("exit")
    assert left(served) == 0


def test_exit_without_shutdown(serve: Serve) -> None:
    """Code 1."""
    served = busy(serve)
    served.client.notify("exit")
    assert left(served) == 1


def test_end_of_stdin(serve: Serve) -> None:
    """In the middle of a message too."""
    served = busy(serve)
    served.client.send_bytes(b'Content-Length: 500\r\n\r\n{"jsonrpc"')
    assert served.client.process.stdin is not None
    served.client.process.stdin.close()
    assert left(served) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals(serve: Serve, number: signal.Signals) -> None:
    """No traceback, code 1."""
    served = busy(serve)
    served.client.process.send_signal(number)
    assert left(served) == 1


def test_a_client_that_stops_reading_does_not_keep_it(environment: dict[str, str]) -> None:
    """A megabyte of answers that nobody takes neither blocks the loop nor holds the exit up."""
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    requests = [json.dumps({"jsonrpc": "2.0", "id": k, "method": "dg/status"}).encode() for k in range(2, 6000)]
    leave = json.dumps({"jsonrpc": "2.0", "method": "exit"}).encode()
    server = subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        server.stdin.write(b"".join(map(frame, [message, *requests, leave])))
        server.stdin.flush()
        assert server.wait(WAIT) == 1
    finally:
        server.kill()
        server.stdin.close()
        server.stdout.close()


def test_the_editor_dies_while_the_pipe_is_held_open(editor_that_dies: EditorThatDies) -> None:
    """No end of stdin comes; the watcher of `processId` sees it."""
    assert alive(editor_that_dies.server)
    editor_that_dies.kill()
    assert until(lambda: not alive(editor_that_dies.server))


def test_a_process_id_that_is_not_here_arms_nothing(serve: Serve) -> None:
    """It may come from another container."""
    served = serve(initialize=False)
    served.client.initialize({**plain_params(), "processId": 2**22 + 1})
    served.settle()
    assert served.client.stop() == 0


def test_the_watch_tells_processes_apart() -> None:
    """By start time; a zombie has ended."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert child.stdin is not None
    identity = started(child.pid)
    assert identity is not None
    assert identity != started(os.getppid())
    ended: list[bool] = []
    watch = EditorWatch(child.pid, lambda: ended.append(True))
    assert watch.arm()
    child.stdin.close()
    watch.join(WAIT)  # the child is not waited for yet: a zombie
    assert ended == [True]
    child.wait(WAIT)
    assert started(child.pid) is None
    assert not EditorWatch(child.pid, lambda: None).arm()


def test_a_private_engine_goes_with_its_server(environment: dict[str, str], folder: Path) -> None:
    """Also when the server is killed: its engine leaves when the socket closes."""
    for number, kill in enumerate((False, True)):
        with Client(environment=environment, errors=folder / f"private{number}") as client:
            client.initialize(options={"engine": {"mode": "embedded"}})
            Document(client, "x = ‸\n")
            engines = until(lambda: children(client.process.pid))
            assert len(engines) == 1
            if kill:
                client.process.kill()
                client.exit_code()
            else:
                assert client.stop() == 0
        assert until(partial(gone, engines))


def test_a_private_engine_goes_in_mid_generation(environment: dict[str, str], folder: Path) -> None:
    """The server is told to end while its engine loads, and while it computes."""
    for number, answered in enumerate((False, True)):
        with Client(environment=environment, errors=folder / f"mid{number}") as client:
            client.initialize(options={"engine": {"mode": "embedded"}})
            document = Document(client, "x = ‸\n")
            engines = until(lambda: children(client.process.pid))
            if answered:
                document.items(wait=6 * WAIT)
                document.type("a")
            document.begin()
            client.process.send_signal(signal.SIGTERM)
            assert client.exit_code() == 1
        assert until(partial(gone, engines))
        assert "Traceback" not in (folder / f"mid{number}").read_text("utf-8")


def test_a_client_that_closes_its_end_early(serve: Serve) -> None:
    """No traceback about a broken pipe: the log is looked at when all servers have ended."""
    served = serve()
    served.client.close_reading()  # takes effect once the answer that our reader waits for has come
    with contextlib.suppress(ServerGoneError):
        for number in range(100_000):
            served.client.begin("dg/status", message_id=f"early {number}")
    assert served.client.exit_code() == 1


def test_a_server_that_has_ended_is_forgotten() -> None:
    """No cache of a library keeps it, its documents and its protocol object alive."""

    async def life() -> tuple[weakref.ref[object], weakref.ref[object]]:
        server = create_server()
        incoming, ours = os.pipe()
        theirs, outgoing = os.pipe()
        os.write(ours, frame(b'{"jsonrpc":"2.0","method":"exit"}'))
        assert await asyncio.wait_for(server.run(incoming, outgoing), WAIT) == 1
        for descriptor in (incoming, ours, theirs, outgoing):
            os.close(descriptor)
        return weakref.ref(server), weakref.ref(server.protocol)

    ended = asyncio.run(life())

    def forgotten() -> bool:
        gc.collect()
        return [one() for one in ended] == [None, None]

    assert until(forgotten)  # its reader may be about to end


def gone(pids: list[int]) -> bool:
    """None of them runs."""
    return not any(map(alive, pids))
