"""Engine processes that are gone when the test, or the module, is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

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
