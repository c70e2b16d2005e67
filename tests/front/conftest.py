"""What front tests share: a scripted engine, a real server as a child, both with their own folders."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from dg_bench.drive.client import Client
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.scripted_engine import ScriptedEngine

COMMAND = (sys.executable, "-P", "-m", "dg_lsp", "--stdio")
XDG = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder of the module's own, with a path short enough for a socket in it."""
    path = Path(tempfile.mkdtemp(prefix="dg"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def environment(folder: Path) -> dict[str, str]:
    """The user's folders, inside the module's own."""
    for name in XDG:
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    return {name: str(folder / name) for name in XDG}


@dataclass
class Served:
    """A server with a scripted engine behind it."""

    client: Client
    engine: ScriptedEngine
    log: Path

    def script(self, *rules: Rule) -> None:
        """What the engine answers from now on."""
        self.engine.script = Script(rules=list(rules))

    def settle(self) -> None:
        """Return when the server has read all that was sent."""
        self.client.settled()


Serve = Callable[..., Served]


@pytest.fixture(scope="module")
def serve(folder: Path, environment: dict[str, str]) -> Iterator[Serve]:
    """Starts servers, each with a scripted engine: `serve(script, options=…, encodings=…)`. Checks their manners at the end."""
    started: list[Served] = []

    def start(script: Script | None = None, *, initialize: bool = True, options: dict[str, object] | None = None, **more: object) -> Served:
        number = len(started)
        engine = ScriptedEngine(folder / f"s{number}", script)
        engine.__enter__()
        log = folder / f"log{number}"
        client = Client(COMMAND, environment=environment, errors=log)
        served = Served(client, engine, log)
        started.append(served)
        if initialize:
            tree = {"engine": {"socket": str(engine.path)}, **(options or {})}
            client.initialize(options=tree, **more)
        return served

    yield start
    for served in started:
        served.client.kill()
        served.engine.__exit__()
    for served in started:
        assert not served.client.doubled, "a request was answered twice"
        assert not served.client.noise, "something else than protocol on stdout"
        assert "Traceback" not in served.log.read_text(), "a traceback in the log"


@pytest.fixture(scope="module")
def served(serve: Serve) -> Served:
    """The module's server, in UTF-16."""
    return serve()


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


assert os.name == "posix", "these tests read /proc and use Unix sockets"
