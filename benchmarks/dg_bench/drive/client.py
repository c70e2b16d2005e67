"""A language client over stdio that knows JSON-RPC and no LSP library: no fault of one can hide on both sides.

Every wait is bounded. What came is kept: answers by id, second answers, notifications, requests of the server, noise.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

WAIT: Final = 10.0
"""Seconds that any single wait may take, unless a call says otherwise."""
SERVER: Final = (sys.executable, "-P", "-m", "dg_lsp", "--stdio")

Json = Any
MessageId = int | str


class ServerGoneError(Exception):
    """The server ended, or closed its stream, before it answered."""


class Client:
    """A running server and our end of its pipes. As a context manager it kills what is left of the server at the end."""

    def __init__(
        self, command: Sequence[str] = SERVER, *, environment: Mapping[str, str] | None = None, errors: Path | None = None
    ) -> None:
        """Start the server; its stderr goes to the file `errors`, or nowhere."""
        with (errors or Path(os.devnull)).open("ab") as stderr:
            self.process = subprocess.Popen(  # noqa: S603 - the caller's own command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **(environment or {})},
            )
        self.answers: dict[MessageId | None, Json] = {}
        """Whole answer messages by id, in the order in which they came; errors about unreadable messages have the id None."""
        self.doubled: list[Json] = []
        """Answers to ids that had one already."""
        self.notifications: list[tuple[str, Json]] = []
        self.asked: list[tuple[str, Json]] = []
        """Requests of the server."""
        self.noise: list[bytes] = []
        """What stood on stdout and was no frame."""
        self.reply: dict[str, Callable[[Json], Json]] = {}
        """Our answers to the server's requests, by method; null for the others."""
        self._ids = itertools.count(1)
        self._held: list[bytes] | None = None
        self._ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, name="client reader", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    # -- sending

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are. Raises ServerGoneError when nobody reads."""
        if self._held is not None:
            self._held.append(data)
            return
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ServerGoneError(str(error)) from error

    @contextmanager
    def in_one_write(self) -> Iterator[None]:
        """What is sent inside leaves together."""
        self._held = []
        try:
            yield
        finally:
            data, self._held = b"".join(self._held), None
            self.send_bytes(data)

    def send(self, message: Json) -> None:
        """Write one message, framed."""
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: Json = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Json = None, *, message_id: MessageId | None = None) -> MessageId:
        """Send a request; its id is what `wait` takes."""
        chosen = next(self._ids) if message_id is None else message_id
        self.send({"jsonrpc": "2.0", "id": chosen, "method": method, "params": params})
        return chosen

    def cancel(self, message_id: MessageId) -> None:
        """Send `$/cancelRequest`."""
        self.notify("$/cancelRequest", {"id": message_id})

    def request(self, method: str, params: Json = None, *, message_id: MessageId | None = None, wait: float = WAIT) -> Json:
        """Send a request and wait for its whole answer message."""
        return self.wait(self.begin(method, params, message_id=message_id), wait)

    # -- waiting

    def wait(self, message_id: MessageId | None, wait: float = WAIT) -> Json:
        """The answer to a request. Raises TimeoutError or ServerGoneError."""
        self.wait_for(lambda: message_id in self.answers, f"the answer to {message_id!r}", wait)
        return self.answers[message_id]

    def wait_for(self, condition: Callable[[], bool], what: str, wait: float = WAIT) -> None:
        """Wait until `condition` holds; it is looked at whenever a message came."""
        with self._changed:
            self._changed.wait_for(lambda: condition() or self._ended, wait)
            if condition():
                return
        if self._ended:
            raise ServerGoneError(f"The server ended; waited for {what}.")
        raise TimeoutError(f"Waited {wait} s for {what}.")

    def notified(self, method: str) -> list[Json]:
        """The params of all notifications of a method so far."""
        return [params for name, params in self.notifications if name == method]

    def settled(self) -> None:
        """Return when the server has read everything sent so far."""
        self.request("$/dg/settled")

    # -- life

    def initialize(self, params: Json = None, *, encodings: Sequence[str] = ("utf-16",), options: Json = None) -> Json:
        """The whole `initialize` / `initialized` exchange; without `params`, those of a plain client. Returns the result."""
        result = self.request("initialize", params or plain_params(encodings, options), wait=3 * WAIT)["result"]
        self.notify("initialized", {})
        return result

    def stop(self) -> int:
        """`shutdown`, `exit`; returns the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.exit_code()

    def exit_code(self, wait: float = WAIT) -> int:
        """Wait for the server's end. Raises subprocess.TimeoutExpired."""
        return self.process.wait(wait)

    def close_reading(self) -> None:
        """Take nothing from the server any more, as a client that crashed; its pipe breaks."""
        assert self.process.stdout is not None
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, self.process.stdout.fileno())  # closes the pipe, and the reader finds an end
        os.close(null)

    def kill(self) -> None:
        """End the server whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT)
        self._reader.join(WAIT)  # it ends with the pipe, unless a grandchild holds that open
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError, ValueError):
                if stream is not None and not self._reader.is_alive():
                    stream.close()

    # -- reading

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while (body := self._frame()) is not None:
                self._take(json.loads(body))
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _frame(self) -> bytes | None:
        stream = self.process.stdout
        assert stream is not None
        length = None
        while (line := stream.readline()) != b"\r\n":
            if not line:
                return None
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            else:
                self.noise.append(line)
        return stream.read(length or 0)

    def _take(self, message: Json) -> None:
        if "method" in message and "id" in message:
            self.asked.append((message["method"], message.get("params")))
            reply = self.reply.get(message["method"])
            answer = None if reply is None else reply(message.get("params"))
            with suppress(ServerGoneError):
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        with self._changed:
            if "method" in message and "id" not in message:
                self.notifications.append((message["method"], message.get("params")))
            elif "method" not in message:
                self._answered(message)
            self._changed.notify_all()

    def _answered(self, message: Json) -> None:
        if message["id"] in self.answers and message["id"] is not None:
            self.doubled.append(message)
        else:
            self.answers[message["id"]] = message


def plain_params(encodings: Sequence[str] = ("utf-16",), options: Json = None) -> Json:
    """`initialize` params of a client that announces what we use and nothing else."""
    capabilities = {
        "general": {"positionEncodings": list(encodings)},
        "window": {"workDoneProgress": True},
        "workspace": {"configuration": True},
        "textDocument": {"inlineCompletion": {}},
    }
    return {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities, "initializationOptions": options}
