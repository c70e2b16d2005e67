"""Engine processes that are gone when the test, or the module, is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from dg_bench.drive.engine_peer import EnginePeer


@pytest.fixture
def start() -> Iterator[Callable[..., EnginePeer]]:
    """Start an engine with the given arguments."""
    peers: list[EnginePeer] = []

    def starter(*arguments: str) -> EnginePeer:
        peers.append(EnginePeer(*arguments))
        return peers[-1]

    yield starter
    for peer in peers:
        peer.end()


@pytest.fixture(scope="module")
def engine() -> Iterator[EnginePeer]:
    """A ready engine on the starter, one for the module."""
    peer = EnginePeer()
    peer.ready()
    yield peer
    peer.end()
