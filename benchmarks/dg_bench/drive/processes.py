"""Processes as tests and benchmarks look at them (Linux): who lives, who belongs to whom, how much memory they hold."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Self, TypeVar

from dg_bench.drive.client import SERVER, WAIT

T = TypeVar("T")

_POLL_SECONDS: Final = 0.02
_EDITOR: Final = """
import os, subprocess, sys
read, write = os.pipe()
server = subprocess.Popen(sys.argv[1:], stdin=read, pass_fds=(write,), stderr=subprocess.DEVNULL)
body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"processId":%d}}' % os.getpid()
os.write(write, b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
print(server.pid, file=sys.stderr, flush=True)
sys.stdin.read()
"""


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """The processes that `pid` started and that run."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def until(found: Callable[[], T], seconds: float = WAIT) -> T:
    """What `found` returns once it is true, or in the end."""
    end = time.monotonic() + seconds
    while not (value := found()) and time.monotonic() < end:
        threading.Event().wait(_POLL_SECONDS)
    return value


class EditorThatDies:
    """A process that started a server, told it its own id, and holds the pipe's writing end in the server too: no end of stdin comes."""

    def __init__(self, command: Sequence[str] = SERVER, environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the caller's own command
            [sys.executable, "-c", _EDITOR, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        assert self._process.stderr is not None
        assert self._process.stdout is not None
        self.server = int(self._process.stderr.readline())
        """The server's process."""
        self._process.stdout.readline()  # its answer to `initialize`: from now on it watches

    def kill(self) -> None:
        """Kill the editor, as a crash does."""
        self._process.kill()
        self._process.wait(WAIT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
