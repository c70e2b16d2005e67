"""A client of a private engine process, blocking and bounded: for the command line, tests and benchmarks."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from typing import Self, TypeVar

from dg_engine.messages import AnyMessage, ClientInfo, Hello, Message, Status
from dg_engine.process import wire
from dg_engine.process.listen import LOOPBACK, read_door
from dg_engine.process.spawn import embedded
from dg_lsp import __version__

M = TypeVar("M", bound=Message)
WAIT = 10.0
"""Seconds that any single wait may take."""
LOADING = 60.0
"""Seconds that a model may take between two of its progress messages."""


class EngineSession:
    """Our end of an engine's socket, and its process if it is a private one."""

    def __init__(self, process: subprocess.Popen[bytes] | None, connection: socket.socket) -> None:
        """A session with an engine that runs already; `process` is waited for at the end."""
        self.process, self.socket = process, connection
        self.token: str | None = None
        self.seen: list[AnyMessage] = []
        """Every message read so far."""

    @classmethod
    def start(cls, *arguments: str) -> Self:
        """Start a private engine with the arguments of `dg-lsp engine serve`. Raises EngineError."""
        return cls(*embedded(arguments))

    @classmethod
    def attach(cls, path: Path) -> Self:
        """To the engine that listens at a socket, or at the port that a port file names. Raises OSError."""
        if path.suffix == ".port":
            return cls._attach_to_port(path)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(WAIT)
            connection.connect(os.fspath(path))
        except OSError:
            connection.close()
            raise
        return cls(None, connection)

    @classmethod
    def _attach_to_port(cls, path: Path) -> Self:
        door = read_door(path)
        session = cls(None, socket.create_connection((LOOPBACK, door.port), WAIT))
        session.token = door.token
        return session

    def send(self, *messages: Message) -> None:
        """Write messages in one go."""
        self.socket.sendall(b"".join(map(wire.encode, messages)))

    def read(self, wait: float = WAIT) -> AnyMessage:
        """The next message. Raises TimeoutError, and EOFError when the engine has closed."""
        self.socket.settimeout(wait)
        length = int.from_bytes(self._exactly(wire.LENGTH_BYTES), "big")
        message = wire.decode(self._exactly(length))
        self.seen.append(message)
        return message

    def until(self, kind: type[M], wait: float = WAIT) -> M:
        """The next message of a kind; what came before it is in `seen`."""
        while True:
            message = self.read(wait)
            if isinstance(message, kind):
                return message

    def hello(self) -> None:
        """Introduce ourselves."""
        self.send(Hello(client=ClientInfo(name="dg-lsp command", version=__version__, pid=os.getpid()), token=self.token))

    def ready(self) -> None:
        """Say hello and wait until the model is loaded. Raises RuntimeError with the engine's reason when it is not."""
        self.hello()
        while (status := self.until(Status, LOADING)).state == "loading":
            pass
        if status.state != "ready":
            raise RuntimeError(status.message)

    def end(self) -> None:
        """Close our end and wait for the process; it is killed if it stays."""
        self.socket.close()
        if self.process is None:
            return
        try:
            self.process.wait(WAIT)
        finally:
            self.process.kill()
            self.process.wait()

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data
