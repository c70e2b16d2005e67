"""What a client says of a suggestion: only sound values reach the engine, which ends a connection over others."""

from __future__ import annotations

from typing import Any

import pytest

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Served
from dg_engine.messages import Outcome
from dg_lsp.requests.outcome import outcome

ODD: list[Any] = [True, None, -1, 1.0, 2**31, 2**64, 10**30, "1", [], {}]


def test_sound_values() -> None:
    assert outcome(3, 5) == Outcome(id=3, shown=True, accepted_chars=5)


@pytest.mark.parametrize("value", ODD)
def test_other_values(value: Any) -> None:
    assert outcome(value, 5) is None
    assert outcome(3, value) is None


@pytest.mark.parametrize("value", ODD)
def test_they_do_not_cost_the_engine(served: Served, value: Any) -> None:
    served.script(Rule(text="value"))
    connections = served.engine.connections
    command = {"command": "dg.server.accepted", "arguments": [{"id": value, "chars": value}]}
    assert served.client.request("workspace/executeCommand", command)["result"] is None
    item = {"command": {"arguments": [{"id": value}]}}
    served.client.notify("textDocument/didShowCompletion", {"item": item})
    served.client.notify("textDocument/didPartiallyAcceptCompletion", {"item": item, "acceptedLength": value})
    assert len(Document(served.client, "x = ‸\n").items()) == 1
    assert served.engine.connections <= connections + 1
