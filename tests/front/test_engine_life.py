"""The engine behind the server: loading, refusing, missing, going away, coming back."""

from __future__ import annotations

import sys
from pathlib import Path

from dg_bench.drive.client import Client
from dg_bench.drive.document import Document
from dg_bench.drive.processes import until
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.scripted_engine import ScriptedEngine
from dg_bench.drive.served import Serve

INFO = 3
WITHOUT_TORCH = (
    "import importlib.util as u; find = u.find_spec;"
    "u.find_spec = lambda name, *a: None if name == 'torch' else find(name, *a);"
    "from dg_lsp.serving import serve, ServeArguments; raise SystemExit(serve(ServeArguments()))"
)


def reason(client: Client, document: Document) -> str:
    """Why the last request came back empty, and that there was one quiet notice at most."""
    report = client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert {shown["type"] for shown in client.notified("window/showMessage")} <= {INFO}
    found: str = report["document"]["reason"]
    return found


def test_requests_wait_while_the_model_loads(serve: Serve) -> None:
    """Held, told by status and progress, answered when it is ready; superseded ones never reach the engine."""
    served = serve(Script(start="loading", rules=[Rule(text="value")]), options={"status": True})
    document = Document(served.client, "x = ‸\n")
    first = document.begin()
    document.type("v")
    second = document.begin()
    assert served.client.wait(first)["error"]["code"] == -32800
    served.client.wait_for(
        lambda: any(note["value"].get("percentage") == 50 for note in served.client.notified("$/progress")), "progress"
    )
    report = served.client.request("dg/status")["result"]
    assert (report["engine"]["state"], report["engine"]["progress"], report["busy"]) == ("loading", 0.5, True)
    assert second not in served.client.answers
    served.engine.finish_loading()
    assert len(document.answer(second)) == 1
    assert len(served.engine.jobs) == 1
    kinds = [note["value"]["kind"] for note in served.client.notified("$/progress")]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    assert served.client.notified("dg/status")[-1]["engine"]["state"] == "ready"


def test_a_model_that_cannot_be_loaded(serve: Serve) -> None:
    """Requests that waited, and later ones, are empty; the reason is the engine's; there is no second start."""
    served = serve(Script(start="refuse", reason="The weights file is cut short."))
    document = Document(served.client, "x = ‸\n")
    assert document.items() == []
    assert reason(served.client, document) == "The weights file is cut short."
    document.type("a")
    assert document.items() == []
    assert served.engine.connections == 1
    assert served.client.request("dg/status")["result"]["kind"] == "Error"


def test_no_engine_extra(environment: dict[str, str], folder: Path) -> None:
    """One sentence says how to get it."""
    with Client((sys.executable, "-P", "-c", WITHOUT_TORCH), environment=environment, errors=folder / "no-extra") as client:
        client.initialize()
        document = Document(client, "x = ‸\n")
        assert document.items() == []
        assert "pip install 'dg-lsp[engine]'" in reason(client, document)
        assert client.stop() == 0
    assert "pip install" in (folder / "no-extra").read_text()


def test_no_model_folder(environment: dict[str, str], folder: Path) -> None:
    """The sentence names it."""
    with Client(environment=environment) as client:
        client.initialize(options={"engine": {"model": str(folder / "nowhere")}})
        document = Document(client, "x = ‸\n")
        assert document.items() == []
        assert str(folder / "nowhere") in reason(client, document)
        assert client.stop() == 0


def test_no_engine_at_the_socket(environment: dict[str, str], folder: Path) -> None:
    """The sentence says how to start one."""
    with Client(environment=environment) as client:
        client.initialize(options={"engine": {"socket": str(folder / "nobody")}})
        document = Document(client, "x = ‸\n")
        assert document.items() == []
        assert "engine serve" in reason(client, document)
        assert client.stop() == 0


def test_an_engine_that_ends_under_a_job_is_replaced(serve: Serve) -> None:
    """The first restart comes at once, and the job is done then."""
    served = serve(Script(rules=[Rule(document="drop.py", drop=True), Rule(text="value")]))
    assert len(Document(served.client, "x = ‸\n").items()) == 1
    served.engine.script = Script(rules=[Rule(text="value", hold=True)])
    document = Document(served.client, "y = ‸\n")
    message_id = document.begin()
    served.engine.wait_for(lambda engine: len(engine.jobs) == 2, "the job")
    served.engine.script = Script(rules=[Rule(text="again")])
    served.engine.drop_clients()
    served.engine.let_go()
    assert [item["insertText"] for item in document.answer(message_id)] == ["again"]
    assert served.engine.connections == 2
    (notice,) = served.client.notified("window/showMessage")
    assert "started again" in notice["message"]


def test_an_engine_that_ends_again_and_again_is_left_alone(serve: Serve) -> None:
    """Three times within five minutes; then empty lists and the reason."""
    served = serve(Script(rules=[Rule(drop=True)]))
    document = Document(served.client, "x = ‸\n")
    assert document.items() == []
    served.client.wait_for(lambda: served.engine.connections >= 2, "the restart")
    document.type("a")
    assert document.items() == []
    assert served.engine.connections == 3
    document.type("b")
    assert document.items() == []
    assert "three times" in reason(served.client, document)
    assert served.engine.connections == 3
    first, worn_out = (shown["message"] for shown in served.client.notified("window/showMessage"))
    (second,) = (logged["message"] for logged in served.client.notified("window/logMessage"))
    assert "started again" in first  # in front of the user once, later where messages are collected
    assert "started again" in second
    assert "three times" in worn_out
    served.engine.script = Script(rules=[Rule(text="value")])
    served.client.request("workspace/executeCommand", {"command": "dg.server.restartEngine"})
    document.type("c")
    assert len(document.items()) == 1


def test_an_engine_that_was_idle_is_no_loss(serve: Serve) -> None:
    """It says goodbye; the next request brings one back, and nobody is told."""
    served = serve(Script(rules=[Rule(text="value")]))
    document = Document(served.client, "x = ‸\n")
    assert len(document.items()) == 1
    for number in range(5):
        served.engine.say_goodbye()
        served.engine.wait_for(lambda engine, left=number: engine.left > left, "the server's end of the connection")
        document.type("b")
        assert len(document.items()) == 1
    assert served.engine.connections == 6
    assert served.client.notified("window/showMessage") == []


def test_an_engine_that_is_there_later_is_found(serve: Serve) -> None:
    """The notice says how to start one; whoever does that need not restart anything else, and is told once."""
    served = serve(initialize=False)
    later = served.engine.path.with_name("later.sock")
    served.client.initialize(options={"engine": {"socket": str(later)}})
    document = Document(served.client, "x = ‸\n")
    assert document.items() == []
    assert "dg-lsp engine serve --socket" in reason(served.client, document)
    with ScriptedEngine(later, Script(rules=[Rule(text="value")])):
        assert until(document.items)
        assert reason(served.client, document) == ""
    assert len(served.client.notified("window/showMessage")) <= 2  # the second: that this engine has gone again
