"""How the server ends: in two seconds, with the right code, with its private engine, even in mid-generation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from dg_bench.drive.client import SERVER, WAIT, Client, plain_params
from dg_bench.drive.document import Document
from dg_bench.drive.processes import EditorThatDies, alive, children, until
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Serve, Served
from dg_lsp.lifecycle.editor import EditorWatch, started
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
            client.initialize()
            Document(client, "x = ‸\n")
            engines = until(lambda: children(client.process.pid))
            assert len(engines) == 1
            if kill:
                client.process.kill()
                client.exit_code()
            else:
                assert client.stop() == 0
        assert until(partial(gone, engines))


def gone(pids: list[int]) -> bool:
    """None of them runs."""
    return not any(map(alive, pids))
