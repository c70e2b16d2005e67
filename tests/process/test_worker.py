"""The thread that owns the model, with a filler of the test's own: what becomes of jobs that go wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Hashable
from types import SimpleNamespace
from typing import Any

import pytest

from dg_engine.errors import JobError
from dg_engine.messages import Completion, Failed, FillJob, Message, Timings
from dg_engine.process.worker import Worker
from dg_engine.schedule.queue import JobQueue
from dg_engine.schedule.ticket import Ticket

WAIT = 10.0
Steps = Generator[Any, None, Completion]


class Slots:
    """Counts how often it was emptied."""

    def __init__(self) -> None:
        self.cleared = 0

    def clear(self) -> None:
        """Drop all."""
        self.cleared += 1


class OutOfMemoryError(RuntimeError):
    """As torch names its own."""


def done() -> Completion:
    """An empty completion."""
    return Completion(id=1, candidates=[], timings=Timings())


def run(*tries: Callable[[], Steps], die: Callable[[], None] = lambda: None) -> tuple[Message, Slots, Worker]:
    """What one job is answered when its generators are these, one after the other."""
    slots, left, answers, came = Slots(), list(tries), list[Message](), threading.Event()

    def fill(_: FillJob, *, owner: Hashable, received: float) -> Steps:
        del owner, received
        return left.pop(0)()

    def emit(_: Ticket, message: Message) -> None:
        answers.append(message)
        came.set()

    filler: Any = SimpleNamespace(slots=slots, model=None, fill=fill)
    queue = JobQueue()
    worker = Worker(lambda: filler, queue, emit, ready=lambda _: None, failed=lambda _: None, die=die)
    worker.start()
    worker.submit(Ticket("a", 1, "d", "interactive", 0.0), FillJob(id=1, document="d", prefix="", suffix=""))
    assert came.wait(WAIT)
    queue.close()
    worker.join(WAIT)
    (answer,) = answers
    return answer, slots, worker


def sound() -> Steps:
    """Two steps and an answer."""
    yield None
    yield None
    return done()


def raises(error: Exception) -> Callable[[], Steps]:
    """A step, then this."""

    def steps() -> Steps:
        yield None
        raise error

    return steps


@pytest.mark.parametrize("error", [MemoryError(), OutOfMemoryError("CUDA out of memory")])
def test_out_of_memory_drops_the_slots_and_tries_once_more(error: Exception) -> None:
    answer, slots, worker = run(raises(error), sound)
    assert isinstance(answer, Completion)
    assert slots.cleared == 1
    assert worker.counters.snapshot()[0]["out_of_memory"] == 1


def test_out_of_memory_twice_is_a_failure_with_a_sentence() -> None:
    answer, slots, _ = run(raises(MemoryError()), raises(MemoryError()))
    assert isinstance(answer, Failed)
    assert (answer.kind, slots.cleared) == ("out_of_memory", 1)
    assert "memory" in answer.sentence


def test_a_jobs_own_error_is_its_answer() -> None:
    answer, slots, _ = run(raises(JobError("too_long", "It is too long.")))
    assert answer == Failed(id=1, kind="too_long", sentence="It is too long.")
    assert slots.cleared == 0


def test_an_unexpected_error_ends_its_job_and_tells_no_details() -> None:
    answer, _, worker = run(raises(ValueError("x = secret")))
    assert isinstance(answer, Failed)
    assert answer.kind == "unavailable"
    assert "secret" not in answer.sentence
    assert worker.counters.snapshot()[0]["jobs_failed"] == 1


class AcceleratorError(RuntimeError):
    """As torch names a device's fault."""


@pytest.mark.parametrize(
    ("error", "dies"),
    [
        (AcceleratorError("CUDA error: device-side assert triggered"), True),
        (RuntimeError("CUDA error: an illegal memory access was encountered"), True),
        (OutOfMemoryError("CUDA error: out of memory"), False),
        (RuntimeError("shapes do not fit"), False),
    ],
)
def test_a_broken_device_ends_the_process(error: Exception, *, dies: bool) -> None:
    """Fronts start another one; whatever else goes wrong ends its job only."""
    deaths: list[bool] = []
    run(raises(error), raises(error), die=lambda: deaths.append(True))
    assert bool(deaths) is dies


def test_what_belongs_to_a_client_goes_with_it() -> None:
    """Its waiting jobs, which may be large, and its figures."""
    queue = JobQueue()
    worker = Worker(lambda: None, queue, lambda *_: None, ready=lambda _: None, failed=lambda _: None)  # type: ignore[arg-type, return-value]
    tickets = [Ticket(client, 1, "d", "interactive", 0.0) for client in ("a", "a", "b")]
    for ticket in tickets:
        worker.submit(ticket, FillJob(id=1, document="d", prefix="x" * 1000, suffix=""))
        worker.counters.observe(f"queue_ms_of_client_{ticket.client}", 1.0)
    for ticket in queue.cancel_client("a"):
        worker.forget(ticket)
    worker.release_client("a")
    assert len(queue) == 1
    assert [ticket.client for ticket in worker.waiting] == ["b"]
    assert set(worker.counters.snapshot()[1]) == {"queue_ms_of_client_b"}
