"""How soon a server is there, and how soon it is gone."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from typing import Final

from dg_bench.drive.client import SERVER, Client, plain_params
from dg_bench.drive.document import Document
from dg_bench.drive.processes import EditorThatDies, alive, until
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Served
from dg_bench.front.stage import folders, reached, stage

BARE: Final = (sys.executable, "-P", "-m", "dg_bench.drive.bare_pygls")
_BUSY: Final = Rule(passes=100_000, pass_ms=5)


def start(count: int) -> tuple[list[float], list[float]]:
    """Milliseconds from starting the process to the answer to `initialize`: ours, and a bare pygls server's, in turn."""
    ours: list[float] = []
    theirs: list[float] = []
    with folders() as (_, environment):
        for number in range(count + 1):
            mine, other = _started(SERVER, environment), _started(BARE, environment)
            if number:  # the first of each fills the file cache
                ours.append(mine)
                theirs.append(other)
    return ours, theirs


def _started(command: tuple[str, ...], environment: dict[str, str]) -> float:
    begun = time.perf_counter()
    with Client(command, environment=environment) as client:
        client.request("initialize", plain_params(), wait=60)
        return (time.perf_counter() - begun) * 1000


def endings() -> dict[str, Callable[[], float]]:
    """By what ends a server in mid-generation: a function that does it, and returns the milliseconds until it was gone."""
    return {
        "exit after shutdown": lambda: _gone(_shut_down),
        "exit": lambda: _gone(lambda served: served.client.notify("exit")),
        "end of stdin": lambda: _gone(_close_stdin),
        "SIGTERM": lambda: _gone(lambda served: served.client.process.send_signal(signal.SIGTERM)),
        "the editor's death": _editor_dies,
    }


def _gone(end: Callable[[Served], None]) -> float:
    with stage(_BUSY) as served:
        reached(served, Document(served.client, "x = ‸\n"))
        begun = time.perf_counter()
        end(served)
        served.client.exit_code()
        return (time.perf_counter() - begun) * 1000


def _shut_down(served: Served) -> None:
    with served.client.in_one_write():
        served.client.begin("shutdown")
        served.client.notify("exit")


def _close_stdin(served: Served) -> None:
    assert served.client.process.stdin is not None
    served.client.process.stdin.close()


def _editor_dies() -> float:
    with folders() as (_, environment), EditorThatDies(environment=environment) as editor:
        begun = time.perf_counter()
        editor.kill()
        until(lambda: not alive(editor.server))
        return (time.perf_counter() - begun) * 1000
