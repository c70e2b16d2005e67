"""Who is worked on next."""

from __future__ import annotations

import threading

import pytest

from dg_engine.schedule.queue import JobQueue
from dg_engine.schedule.ticket import Ticket, Urgency


def ticket(job: int, client: str = "a", document: str | None = None, urgency: Urgency = "interactive") -> Ticket:
    return Ticket(client, job, document or f"doc{job}", urgency, 0.0)


def queue_of(*tickets: Ticket) -> JobQueue:
    queue = JobQueue()
    for one in tickets:
        queue.add(one)
    return queue


def order(queue: JobQueue) -> list[int]:
    """Ids in the order in which whole jobs are done."""
    done = []
    while len(queue):
        one = queue.next()
        assert one is not None
        done.append(one.id)
        queue.done(one)
    return done


def test_the_newest_job_of_a_client_goes_first() -> None:
    assert order(queue_of(ticket(1), ticket(2), ticket(3))) == [3, 2, 1]


def test_clients_take_turns() -> None:
    jobs = [ticket(n, "greedy") for n in (1, 2, 3, 4)] + [ticket(5, "modest")]
    assert order(queue_of(*jobs)) == [4, 5, 3, 2, 1]


@pytest.mark.parametrize("idle", ["speculative", "rewrite"])
def test_interactive_jobs_go_before_others(idle: Urgency) -> None:
    assert order(queue_of(ticket(1), ticket(2, urgency=idle))) == [1, 2]


def test_a_newer_job_steps_in_between_two_passes() -> None:
    queue = queue_of(ticket(1))
    first = queue.next()
    queue.add(ticket(2))
    second = queue.next()
    assert second is not None
    assert second.id == 2
    queue.done(second)
    assert queue.next() is first


def test_clients_take_turns_pass_by_pass() -> None:
    queue = queue_of(ticket(1, "a"), ticket(2, "b"), ticket(3, "c"))
    steps = [queue.next() for _ in range(6)]
    assert [one.id for one in steps if one] == [1, 2, 3, 1, 2, 3]


def test_a_client_that_comes_is_next_but_one() -> None:
    """It waits for one step of each that was there."""
    queue = queue_of(ticket(1, "a"), ticket(2, "b"))
    queue.next()
    queue.add(ticket(3, "c"))
    assert [one.id for one in (queue.next() for _ in range(4)) if one] == [2, 1, 3, 2]


def test_a_rewrite_yields_to_another_clients_request() -> None:
    queue = queue_of(ticket(1, "a", urgency="rewrite"))
    queue.next()
    queue.add(ticket(2, "b"))
    urgent = queue.next()
    assert urgent is not None
    assert urgent.id == 2


def test_two_jobs_on_one_document_never_interleave() -> None:
    queue = queue_of(ticket(1, document="same"))
    first = queue.next()
    queue.add(ticket(2, document="same"))
    assert queue.next() is first


def test_a_waiting_job_is_taken_out_when_cancelled() -> None:
    queue = queue_of(ticket(1), ticket(2))
    taken = queue.cancel("a", 1)
    assert taken is not None
    assert taken.id == 1
    assert order(queue) == [2]


def test_a_started_job_is_marked_and_comes_next() -> None:
    queue = queue_of(ticket(1))
    first = queue.next()
    queue.add(ticket(2))
    assert queue.cancel("a", 1) is None
    assert queue.next() is first
    assert first is not None
    assert first.cancelled


def test_cancelling_what_is_not_there_does_nothing() -> None:
    queue = queue_of(ticket(1, "a"))
    assert queue.cancel("b", 1) is None
    assert queue.cancel("a", 9) is None
    assert order(queue) == [1]


def test_a_client_that_leaves_takes_its_jobs_along() -> None:
    queue = queue_of(ticket(1, "a"), ticket(2, "a"), ticket(3, "b"))
    queue.cancel_client("a")
    assert order(queue) == [3]


def test_chores_run_on_the_workers_thread_even_without_a_job() -> None:
    queue = JobQueue()
    seen: list[str] = []
    worker = threading.Thread(target=queue.next, name="worker")
    worker.start()
    queue.add_chore(lambda: seen.append(threading.current_thread().name))
    queue.add_chore(queue.close)
    worker.join(10)
    assert not worker.is_alive()
    assert seen == ["worker"]


def test_a_closed_queue_gives_nothing() -> None:
    queue = queue_of(ticket(1))
    queue.close()
    assert queue.next() is None
