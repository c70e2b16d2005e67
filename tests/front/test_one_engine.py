"""Windows that share the real engine: what one of them, or the engine itself, does to the others."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest

from dg_bench.drive.client import Client
from dg_bench.drive.document import Document
from dg_bench.drive.processes import alive, children, until
from dg_bench.drive.windows import LOADING, Window, command, engines

pytestmark = pytest.mark.e2e


def speaks(client: Client, wait: float = LOADING) -> None:
    """A request is answered, and by an engine: an empty list is what a window without one gives too."""
    document = Document(client, "values = [1, 2]\ntotal = sum(‸\n")
    document.items(wait=wait)
    document.close()
    assert client.request("dg/status")["result"]["engine"]["state"] == "ready"


def kill_tree(number: int) -> None:
    """As VS Code ends a server that does not leave: its children by parent, recursively, kill -9 each."""
    for child in children(number):
        kill_tree(child)
    os.kill(number, signal.SIGKILL)


def only(environment: dict[str, str]) -> int:
    """The process of the only engine."""
    (engine,) = engines(environment)
    return int(engine["pid"])


def test_a_windows_end_leaves_the_others_alone(window: Window, environment: dict[str, str]) -> None:
    first, second, third = window(), window(), window()
    for client in (first, second, third):
        speaks(client)
    engine = only(environment)
    kill_tree(first.process.pid)
    for client in (second, third):
        speaks(client)
        assert client.notified("window/showMessage") == []
    assert only(environment) == engine
    assert second.stop() == 0
    speaks(third)
    assert only(environment) == engine


def test_a_killed_engine_is_replaced_and_the_request_answered(window: Window, environment: dict[str, str]) -> None:
    """Each window is told once."""
    windows = [window(), window()]
    for client in windows:
        speaks(client)
    engine = only(environment)
    documents = [Document(client, f"def f{number}(values):\n    ‸\n") for number, client in enumerate(windows)]
    asked = [document.begin() for document in documents]
    os.kill(engine, signal.SIGKILL)
    for client, message_id in zip(windows, asked, strict=True):
        assert isinstance(client.wait(message_id, LOADING)["result"], list)
        speaks(client)
        (notice,) = client.notified("window/showMessage")
        assert "started again" in notice["message"]
    assert until(lambda: not alive(engine))
    assert only(environment) != engine


def test_the_command_restarts_it_for_everybody(window: Window, environment: dict[str, str]) -> None:
    """The others lose nothing and are told nothing: it said goodbye."""
    first, second = window(), window()
    speaks(first)
    speaks(second)
    engine = only(environment)
    assert first.request("workspace/executeCommand", {"command": "dg.server.restartEngine"})["result"] is None
    assert until(lambda: not alive(engine))
    speaks(first)
    speaks(second)
    assert only(environment) != engine
    assert second.notified("window/showMessage") == []


def test_nothing_is_started_for_a_document_that_is_not_completed(window: Window, environment: dict[str, str]) -> None:
    client = window()
    before = [engine["pid"] for engine in engines(environment)]
    client.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": "file:///w/.env", "languageId": "python", "version": 1, "text": "TOKEN = "}},
    )
    client.settled()
    assert client.request("dg/status")["result"]["engine"]["state"] == "absent"
    assert [engine["pid"] for engine in engines(environment)] == before


def test_stats_of_what_was_answered_shown_and_accepted(window: Window, environment: dict[str, str]) -> None:
    """An accept is told by the item's command and by the change itself, and counts once."""
    client = window()
    before = stats(environment)
    document = Document(client, "values = [1, 2]\nprint(len(‸\n")
    items = document.items(wait=LOADING)
    assert items
    document.edit(document.cursor, document.cursor, items[0]["insertText"])
    sent = {name: items[0]["command"][name] for name in ("command", "arguments")}
    client.request("workspace/executeCommand", sent)
    held = Document(client, "def f(values):\n    ‸\n")
    message_id = held.begin()
    client.cancel(message_id)
    client.wait(message_id)
    assert until(lambda: stats(environment).get("accepted", 0) == before.get("accepted", 0) + 1)
    now = stats(environment)
    assert now["shown"] - before.get("shown", 0) == 1
    assert now["accepted_chars"] - before.get("accepted_chars", 0) == len(items[0]["insertText"])
    assert now["jobs_completed"] >= before.get("jobs_completed", 0) + 1
    assert now["tokens_encoded"] > before.get("tokens_encoded", 0)


def stats(environment: dict[str, str]) -> dict[str, float]:
    """The counters of the only engine; none when there is none."""
    found = json.loads(command(environment, "stats", "--json").splitlines()[-1])["engines"]
    return dict(found[0]["counters"]) if found else {}


def test_stats_for_prometheus(window: Window, environment: dict[str, str]) -> None:
    speaks(window())
    lines = command(environment, "stats", "--prometheus").splitlines()
    kinds = {line.split()[2]: line.split()[3] for line in lines if line.startswith("#")}
    assert kinds["dg_lsp_jobs_completed_total"] == "counter"
    assert kinds["dg_lsp_memory_bytes"] == "gauge"
    assert kinds["dg_lsp_encode_ms"] == "summary"
    values = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-zA-Z0-9_]+\{[^}]*\} [0-9.e+-]+", line) for line in values)
    assert any('quantile="0.95"' in line for line in values)


def test_windows_share_through_a_port_too(environment: dict[str, str], folder: Path) -> None:
    """What Windows will need, and what a client without the token does not get."""
    options, private = {"engine": {"transport": "port"}}, {**environment, "XDG_RUNTIME_DIR": str(folder / "ports")}
    (folder / "ports").mkdir(mode=0o700)
    with Client(environment=private) as first, Client(environment=private) as second:
        for client in (first, second):
            client.initialize(options=options)
            speaks(client)
            assert client.request("dg/status")["result"]["engine"]["state"] == "ready"
        assert len(list(folder.rglob("*.port"))) == 1
        assert first.notified("window/showMessage") == []
        assert engines(private)[0]["clients"] == 2
    command(private, "engine", "stop")


def test_a_stuck_engine_is_ended_by_the_command(window: Window, environment: dict[str, str]) -> None:
    """Stopped in the middle, it neither leaves nor answers: the command kills it, and the next request is answered."""
    client = window()
    speaks(client)
    engine = only(environment)
    os.kill(engine, signal.SIGSTOP)
    client.request("workspace/executeCommand", {"command": "dg.server.restartEngine"})
    assert until(lambda: not alive(engine))
    speaks(client)
    assert only(environment) != engine


def test_commands_in_a_row_restart_it_once(window: Window, environment: dict[str, str]) -> None:
    """One connection is left, nothing counts as a loss, nobody is told."""
    client = window()
    speaks(client)
    before = only(environment)
    with client.in_one_write():
        for number in range(3):
            params = {"command": "dg.server.restartEngine"}
            client.begin("workspace/executeCommand", params, message_id=f"restart {number}")
    for number in range(3):
        client.wait(f"restart {number}")
    speaks(client)
    assert only(environment) != before
    assert until(lambda: [engine["clients"] for engine in engines(environment)] == [1])  # who has left is seen off meanwhile
    assert client.notified("window/showMessage") == []


def test_a_private_engine_is_restarted_once_too(environment: dict[str, str], folder: Path) -> None:
    """Settings that change in quick succession leave one child."""
    with Client(environment=environment, errors=folder / "embedded") as client:
        client.initialize(options={"engine": {"mode": "embedded"}})
        speaks(client)
        with client.in_one_write():
            for threads in (1, 2, 1, 2):
                settings = {"engine": {"mode": "embedded", "threads": threads}}
                client.notify("workspace/didChangeConfiguration", {"settings": settings})
        speaks(client)
        assert until(lambda: len(children(client.process.pid)) == 1)
        assert client.notified("window/showMessage") == []


def test_an_engine_that_ends_while_it_starts_is_told_with_its_last_words(environment: dict[str, str], folder: Path) -> None:
    """Nobody waits for twenty seconds, and it is called what it is."""
    private = {**environment, "XDG_STATE_HOME": str(folder / "state"), "XDG_RUNTIME_DIR": str(folder / "runtime")}
    (folder / "runtime").mkdir(mode=0o700)
    with Client(environment=private, errors=folder / "starting") as client:
        client.initialize()
        speaks(client)
        name = next(path.name for path in (folder / "state" / "dg-lsp" / "log").glob("engine-*.log"))
        os.kill(only(private), signal.SIGKILL)
        client.kill()
    log = folder / "state" / "dg-lsp" / "log" / name
    log.unlink()
    log.mkdir()
    with Client(environment=private, errors=folder / "starting") as client:
        client.initialize()
        document = Document(client, "x = ‸\n")
        assert document.items(wait=LOADING) == []
        report = client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert report["kind"] == "Error"
    assert f"The log file {log} cannot be written" in report["message"]
