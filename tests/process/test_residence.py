"""When a resident engine leaves by itself, on a clock of the test's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from dg_engine.messages import Bye
from dg_engine.process.residence import OUTDATED_SECONDS, Residence

HALF_AN_HOUR = 1800.0


@dataclasses.dataclass
class World:
    """What the residence looks at."""

    residence: Residence
    busy: bool = False
    attached: bool = False

    def at(self, now: float) -> str | None:
        """The reason to leave at a time."""
        bye: Bye | None = self.residence.reason_to_leave(now)
        return None if bye is None else bye.reason


@pytest.fixture
def make(tmp_path: Path) -> Callable[[bool], World]:
    """A residence whose last job was at 0."""

    def made(stays_while_attached: bool) -> World:
        path = tmp_path / "e.sock"
        path.touch()
        residence = Residence(
            path, HALF_AN_HOUR, stays_while_attached, lambda: world.busy, lambda: world.attached, last_job=0.0
        )
        world = World(residence)
        residence.settle()
        return world

    return made


def test_it_leaves_after_its_idle_time(make: Callable[[bool], World]) -> None:
    world = make(False)
    world.attached = True
    assert world.at(HALF_AN_HOUR - 1) is None
    assert world.at(HALF_AN_HOUR) == "idle"


def test_a_job_begins_the_time_anew(make: Callable[[bool], World]) -> None:
    world = make(False)
    world.busy = True
    assert world.at(1000.0) is None
    world.busy = False
    assert world.at(1000.0 + HALF_AN_HOUR - 1) is None
    assert world.at(1000.0 + HALF_AN_HOUR) == "idle"


def test_the_starter_stays_while_somebody_is_attached(make: Callable[[bool], World]) -> None:
    world = make(True)
    world.attached = True
    assert world.at(10 * HALF_AN_HOUR) is None
    world.attached = False
    assert world.at(10 * HALF_AN_HOUR) == "idle"


def test_an_outdated_one_leaves_soon_but_not_under_a_job(make: Callable[[bool], World]) -> None:
    world = make(True)
    world.attached = world.busy = world.residence.outdated = True
    assert world.at(100.0) is None
    world.busy = False
    assert world.at(100.0 + OUTDATED_SECONDS - 1) is None
    assert world.at(100.0 + OUTDATED_SECONDS) == "upgrade"


def test_it_leaves_when_its_socket_is_gone_or_replaced(make: Callable[[bool], World]) -> None:
    world = make(False)
    path = world.residence.path
    other = path.with_name("other")
    other.write_text("another's")
    other.replace(path)
    assert world.at(1.0) == "stop"
    world.residence.clear()
    assert path.exists()  # another's is not removed
    path.unlink()
    assert world.at(2.0) == "stop"


def test_it_removes_its_own_socket(make: Callable[[bool], World]) -> None:
    world = make(False)
    world.residence.clear()
    assert not world.residence.path.exists()
