"""Engines that should leave and are held up, that hang, or are dead, and what else must not bring one down."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys

import msgspec
import pytest

from dg_bench.drive.processes import until
from dg_bench.drive.shared_engine import attached, ended, pid
from dg_engine.messages import Bye, Completion, FillJob, Guess, Stats
from dg_engine.process.listen import LOOPBACK
from dg_engine.process.lock import EngineLock
from dg_engine.process.places import Places
from dg_engine.process.spawn import shared
from dg_lsp.cli.engine_session import EngineSession

pytestmark = pytest.mark.e2e

JOB = FillJob(id=1, document="d", prefix="def mean(values):\n    return sum(values) / ", suffix="\n")


def test_a_client_that_reads_nothing_does_not_keep_a_stopped_engine(place: Places) -> None:
    """It is let go; the lock is free at once for the next engine."""
    shared([], place.output)
    deaf, other = attached(place), attached(place)
    for session in (deaf, other):
        session.ready()
    number = pid(other)
    for _ in range(3000):  # answers of which it takes none, until neither side's buffer holds more
        deaf.send(Stats())
    other.send(Bye(reason="stop"))
    assert ended(number)
    deaf.end()
    other.end()
    assert run_command("engine", "stop") == "No engine runs.\n"


def test_one_that_does_not_answer_is_said_so_and_can_be_ended(place: Places) -> None:
    """It holds lock and socket: without that no window would get another one."""
    shared([], place.output)
    session = attached(place)
    session.ready()
    number = pid(session)
    os.kill(number, signal.SIGSTOP)
    try:
        assert f"does not answer, process {number}" in run_command("engine", "status")
        assert f"process {number}, which did not answer" in run_command("engine", "stop")
        assert ended(number)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    session.end()


def test_one_that_listens_on_a_port_is_seen_and_ended_too(place: Places) -> None:
    shared(["--port"], place.output)
    assert until(place.port.exists)
    assert f"{place.port.stem}  " in run_command("engine", "status")
    assert run_command("engine", "stop") == f"Stopped {place.port.stem}.\n"
    assert run_command("engine", "status").startswith("No engine runs")


def test_a_dead_engines_port_is_not_trusted(place: Places) -> None:
    """Whoever has got it since hears neither token nor text."""
    with socket.create_server((LOOPBACK, 0)) as impostor:
        place.port.write_text(f"{impostor.getsockname()[1]} a-token\n", encoding="ascii")
        place.port_lock.touch()
        with pytest.raises(FileNotFoundError):
            EngineSession.attach(place.port)
        impostor.setblocking(False)
        with pytest.raises(BlockingIOError):
            impostor.accept()
        lock = EngineLock(place.port_lock)
        assert lock.take()
        EngineSession.attach(place.port).end()
        lock.give_back()


@pytest.mark.parametrize("count", [10**6, 2**40])
def test_no_job_gets_more_candidates_than_there_is_room_for(place: Places, count: int) -> None:
    """An engine serves more than whoever asks for so many."""
    shared([], place.output)
    session = attached(place)
    session.ready()
    session.send(msgspec.structs.replace(JOB, candidates=count, guesses=[Guess(f"x{number}", 3) for number in range(100)]))
    assert 1 <= len(session.until(Completion, 60).candidates) <= 16
    session.end()


def run_command(*words: str) -> str:
    """What a sub-command prints."""
    command = [sys.executable, "-m", "dg_lsp", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
