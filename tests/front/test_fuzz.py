"""Eighteen thousand messages against the protocol object, two thousand over stdio: it answers or ignores, and never dies."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dg_bench.drive.document import Document
from dg_bench.drive.fuzz import Fuzz, framed
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.scripted_engine import ScriptedEngine
from dg_bench.drive.served import Serve
from dg_lsp.server import FrontServer, create_server
from dg_lsp.transport import jsonrpc
from dg_lsp.transport.framing import FrameDecoder, Unreadable

WAIT = 10.0
ROUNDS, IN_PROCESS, OVER_STDIO = 6, 3000, 2000
CALM = 2
"""Messages after which the server may finish what it works on: else hardly a request would reach the engine."""


class Out:
    """Takes the place of the writer."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[type, Any]] = Counter()
        self.shown = 0

    def put(self, body: bytes, *, droppable: bool = False) -> None:
        """Count answers by id."""
        del droppable
        message = json.loads(body)
        if "method" not in message:
            assert ("result" in message) != ("error" in message)
            self.answers[type(message["id"]), message["id"]] += 1


def event(body: bytes | Unreadable) -> Any:
    """What the reader would deliver."""
    if isinstance(body, Unreadable):
        return jsonrpc.RequestError(jsonrpc.PARSE_ERROR, body.sentence)
    try:
        return jsonrpc.read(body)
    except jsonrpc.RequestError as error:
        return error


async def settled(server: FrontServer) -> None:
    """Every request that runs has its answer."""
    async with asyncio.timeout(WAIT):
        await asyncio.gather(*server.protocol.running.tasks, return_exceptions=True)


async def bombard(server: FrontServer, seed: int, socket: Path) -> tuple[Counter[tuple[type, Any]], set[Any]]:
    """Answers by id, and the ids that must have one."""
    out = Out()
    server.protocol.out = out  # type: ignore[assignment]
    decoder, fuzz, due = FrameDecoder(), Fuzz(seed), set()

    async def feed(data: bytes) -> None:
        for body in decoder.feed(data):
            server.protocol.receive(event(body))
        await asyncio.sleep(0)

    start = {"jsonrpc": "2.0", "id": "start", "method": "initialize"}
    start["params"] = {"capabilities": {}, "initializationOptions": {"engine": {"socket": str(socket)}}}  # type: ignore[assignment]
    await feed(framed(json.dumps(start).encode()))
    for number in range(IN_PROCESS):
        sent = fuzz.message()
        if sent.answered is not None:
            due.add((type(sent.answered), sent.answered))
        await feed(sent.data)
        if number % CALM == 0:
            await settled(server)
    await settled(server)
    await server.engine.close()
    return out.answers, due


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_the_protocol_object(folder: Path, seed: int) -> None:
    with ScriptedEngine(folder / f"fuzz{seed}", Script(rules=[Rule(text="value")])) as engine:
        answers, due = asyncio.run(bombard(create_server(), seed, engine.path))
        assert len(engine.jobs) > IN_PROCESS // 100
    assert {key for key in due if answers[key] != 1} == set()
    assert {key for key in answers if key[1] is not None} == due | {(str, "start")}


def test_over_stdio(serve: Serve) -> None:
    """The same through a real pipe, in pieces of any size, with frames of megabytes in between; then it works as ever."""
    served = serve()
    client, fuzz, due = served.client, Fuzz(99), []
    huge = json.dumps({"jsonrpc": "2.0", "method": "no/such", "params": "x" * (5 * 2**20)}).encode()
    for number in range(OVER_STDIO):
        sent = fuzz.message()
        if sent.answered is not None:
            due.append(sent.answered)
        client.send_bytes(sent.data if number % 500 else framed(huge) + sent.data)
    for message_id in due:
        client.wait(message_id)
    served.script(Rule(text="value"))
    document = Document(client, "x = ‸\n")
    (item,) = document.items()
    assert document.accepted(item) == "x = value\n"
    assert client.stop() == 0
