"""What front tests share: a scripted engine, a real server as a child, both with their own folders."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dg_bench.drive.client import Client
from dg_bench.drive.editor import Editor
from dg_bench.drive.processes import EditorThatDies
from dg_bench.drive.script import Script
from dg_bench.drive.served import Serve, Served
from dg_bench.drive.user_folders import user_folders
from dg_bench.drive.windows import Window

RECORDED = sorted((Path(__file__).parent / "clients").glob("*.json"))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder of the module's own, with a path short enough for a socket in it."""
    path = Path(tempfile.mkdtemp(prefix="dg"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def environment(folder: Path) -> dict[str, str]:
    """The user's folders, inside the module's own."""
    return user_folders(folder)


@pytest.fixture(scope="module")
def serve(folder: Path, environment: dict[str, str]) -> Iterator[Serve]:
    """Starts servers; their manners are checked at the end."""
    started: list[Served] = []

    def start(
        script: Script | None = None, *, initialize: bool = True, options: dict[str, Any] | None = None, **more: Any
    ) -> Served:
        served = Served.start(folder, f"s{len(started)}", script, environment=environment)
        started.append(served)
        if initialize:
            served.initialize(options, **more)
        return served

    yield start
    for served in started:
        served.stop()
    for served in started:
        assert not served.client.doubled, "a request was answered twice"
        assert not served.client.noise, "something else than protocol on stdout"
        assert "Traceback" not in served.log.read_text(encoding="utf-8"), "a traceback in the log"


@pytest.fixture
def editor_that_dies(environment: dict[str, str]) -> Iterator[EditorThatDies]:
    """An editor that can be killed, and the server that it started."""
    with EditorThatDies(environment=environment) as editor:
        yield editor


@pytest.fixture(scope="module")
def served(serve: Serve) -> Served:
    """The module's server, in UTF-16."""
    return serve()


@pytest.fixture
def window(environment: dict[str, str], folder: Path) -> Iterator[Window]:
    """Opens windows on the real engine that they share; the engine goes with the module's folders."""
    opened: list[Client] = []

    def another() -> Client:
        client = Client(environment=environment, errors=folder / f"window{len(opened)}")
        opened.append(client)
        client.initialize()
        return client

    yield another
    for client in opened:
        client.kill()


@pytest.fixture(scope="module", params=RECORDED, ids=[path.name.removesuffix(".initialize.json") for path in RECORDED])
def editor(request: pytest.FixtureRequest, serve: Serve) -> Iterator[Editor]:
    """One server for each recorded client."""
    editor = Editor.start(serve(initialize=False), request.param)
    yield editor
    assert editor.served.client.stop() == 0
