"""Engine processes that are gone when the test, or the module, is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dg_engine.process.identity import Wanted, identity
from dg_engine.process.places import Places, places
from dg_lsp.cli.engine_session import EngineSession


@pytest.fixture
def start() -> Iterator[Callable[..., EngineSession]]:
    """Start an engine with the given arguments."""
    peers: list[EngineSession] = []

    def starter(*arguments: str) -> EngineSession:
        peers.append(EngineSession.start(*arguments))
        return peers[-1]

    yield starter
    for peer in peers:
        peer.end()


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineSession]:
    """A ready engine on the starter, one for the module."""
    peer = EngineSession.start()
    peer.ready()
    yield peer
    peer.end()


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders of the test's own; engines leave when they are gone."""
    folder = Path(tempfile.mkdtemp(prefix="dg"))
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        (folder / name).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(folder / name))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def place(home: Path) -> Places:
    """The places of the built-in model's engine."""
    assert home.is_dir()
    return places(identity(Wanted()))
