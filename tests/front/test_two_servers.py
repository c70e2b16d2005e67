"""Two servers in one process share nothing."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from dg_bench.drive.script import Rule, Script
from dg_bench.drive.scripted_engine import ScriptedEngine
from dg_lsp.server import create_server
from dg_lsp.transport.framing import FrameDecoder, frame

WAIT = 10.0


class Pipes:
    """A client's end of a server that runs on this loop."""

    def __init__(self) -> None:
        self.server_in, self._out = os.pipe()
        self._in, self.server_out = os.pipe()
        self._messages = self._read()

    def send(self, method: str, params: Any = None, message_id: int | None = None) -> None:
        """Write a message."""
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if message_id is None else {"id": message_id})
        os.write(self._out, frame(json.dumps(message).encode()))

    async def answer(self, message_id: int) -> Any:
        """The result of a request."""
        async with asyncio.timeout(WAIT):
            async for message in self._messages:
                if message.get("id") == message_id and "method" not in message:
                    return message["result"]
        raise AssertionError("no answer")

    async def _read(self) -> AsyncIterator[Any]:
        decoder = FrameDecoder()
        os.set_blocking(self._in, False)
        ready = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._in, ready.set)
        while True:
            await ready.wait()
            ready.clear()
            try:
                data = os.read(self._in, 1 << 16)
            except BlockingIOError:  # read already, on an earlier call for the same bytes
                continue
            for body in decoder.feed(data):
                assert isinstance(body, bytes)
                yield json.loads(body)

    def close(self) -> None:
        """Let all descriptors go."""
        asyncio.get_running_loop().remove_reader(self._in)
        for descriptor in (self._out, self._in, self.server_in, self.server_out):
            os.close(descriptor)


async def talk(pipes: Pipes, engine: ScriptedEngine, encoding: str) -> tuple[str, str]:
    """Initialize, open, ask; returns the encoding and the text."""
    capabilities = {"general": {"positionEncodings": [encoding]}}
    pipes.send(
        "initialize", {"capabilities": capabilities, "initializationOptions": {"engine": {"socket": str(engine.path)}}}, 1
    )
    chosen = (await pipes.answer(1))["capabilities"]["positionEncoding"]
    pipes.send("initialized", {})
    document = {"uri": "file:///same.py", "languageId": "python", "version": 1, "text": "x = \n"}
    pipes.send("textDocument/didOpen", {"textDocument": document})
    at = {"line": 0, "character": 4}
    pipes.send(
        "textDocument/inlineCompletion",
        {"textDocument": {"uri": "file:///same.py"}, "position": at, "context": {"triggerKind": 1}},
        2,
    )
    (item,) = await pipes.answer(2)
    return chosen, item["insertText"]


def test_two_servers(folder: Path) -> None:
    """Each has its own documents, encoding, engine and end."""

    async def run(engines: list[ScriptedEngine]) -> tuple[list[tuple[str, str]], list[int]]:
        pipes = [Pipes(), Pipes()]
        servers = [asyncio.create_task(create_server().run(one.server_in, one.server_out)) for one in pipes]
        said = await asyncio.gather(*map(talk, pipes, engines, ("utf-8", "utf-32")))
        pipes[0].send("shutdown", message_id=3)
        await pipes[0].answer(3)
        pipes[0].send("exit")
        first = await asyncio.wait_for(servers[0], WAIT)
        assert not servers[1].done()
        pipes[1].send("exit")
        codes = [first, await asyncio.wait_for(servers[1], WAIT)]
        for one in pipes:
            one.close()
        return said, codes

    with (
        ScriptedEngine(folder / "one", Script(rules=[Rule(text="first")])) as one,
        ScriptedEngine(folder / "two", Script(rules=[Rule(text="second")])) as two,
    ):
        said, codes = asyncio.run(run([one, two]))
    assert said == [("utf-8", "first"), ("utf-32", "second")]
    assert codes == [0, 1]
