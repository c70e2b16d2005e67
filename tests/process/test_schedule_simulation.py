"""The scheduler on a virtual clock: thousands of random arrivals and cancels, and what must hold whatever they are."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from dg_engine.schedule.queue import JobQueue
from dg_engine.schedule.ticket import URGENCIES, Ticket, Urgency

CLIENTS = 4


@dataclass
class Job:
    """A job of so many steps; one tick of the clock is a step."""

    ticket: Ticket
    steps: int
    done: int = 0
    cancelled_at: int | None = None
    steps_after_cancel: int = 0


@dataclass
class World:
    """The queue, its worker and the clock."""

    queue: JobQueue = field(default_factory=JobQueue)
    jobs: dict[int, Job] = field(default_factory=dict)
    worked: list[Job] = field(default_factory=list)
    """Whom each tick went to."""
    finished: list[Job] = field(default_factory=list)

    def arrive(self, client: int, document: int, urgency: Urgency, steps: int) -> int:
        """A new job; returns its number."""
        number = len(self.jobs)
        ticket = Ticket(client, number, f"{client}/{document}", urgency, float(len(self.worked)))
        self.jobs[number] = Job(ticket, steps)
        self.queue.add(ticket)
        return number

    def cancel(self, number: int) -> None:
        """By its client."""
        job = self.jobs[number]
        if job.cancelled_at is None and job not in self.finished:
            job.cancelled_at = len(self.worked)
            if self.queue.cancel(job.ticket.client, number) is not None:
                self.finished.append(job)

    def tick(self) -> None:
        """One step of what is next, as the worker does it."""
        if not len(self.queue):
            return
        waiting = [job for job in self.jobs.values() if job not in self.finished]
        ticket = self.queue.next()
        assert ticket is not None
        job = self.jobs[ticket.id]
        if ticket.cancelled:
            self.end(job)
            return
        self.check_urgency(job, waiting)
        job.done += 1
        job.steps_after_cancel += job.cancelled_at is not None
        self.worked.append(job)
        if job.done == job.steps:
            self.end(job)

    def end(self, job: Job) -> None:
        """The job has its answer."""
        self.queue.done(job.ticket)
        self.finished.append(job)

    def check_urgency(self, job: Job, waiting: list[Job]) -> None:
        """Nothing less urgent is worked on while something more urgent waits, but for the job that holds its document."""
        most = min(URGENCIES.index(one.ticket.urgency) for one in waiting)
        holds = [one for one in waiting if one.ticket.document == job.ticket.document]
        assert min(URGENCIES.index(one.ticket.urgency) for one in holds) == most

    def drain(self) -> None:
        """Until nothing is left."""
        for _ in range(100_000):
            if not len(self.queue):
                return
            self.tick()
        raise AssertionError("the queue never empties")


action = st.one_of(
    st.tuples(st.just("arrive"), st.integers(0, CLIENTS - 1), st.integers(0, 2), st.sampled_from(URGENCIES), st.integers(1, 8)),
    st.tuples(st.just("cancel"), st.integers(0, 10_000)),
    st.tuples(st.just("tick"), st.integers(1, 5)),
)


@given(actions=st.lists(action, min_size=1, max_size=120))
def test_whatever_comes(actions: list[tuple[object, ...]]) -> None:
    """Every job ends once; a cancelled one gets no step more; one document's jobs never interleave; idle means empty."""
    world = World()
    for kind, *rest in actions:
        if kind == "arrive":
            world.arrive(*rest)  # type: ignore[arg-type]
        elif kind == "cancel" and world.jobs:
            world.cancel(rest[0] % len(world.jobs))  # type: ignore[operator]
        elif kind == "tick":
            for _ in range(rest[0]):  # type: ignore[call-overload]
                world.tick()
    world.drain()
    assert sorted(job.ticket.id for job in world.finished) == sorted(world.jobs)
    assert all(job.steps_after_cancel == 0 for job in world.jobs.values())
    assert all(job.done == job.steps for job in world.jobs.values() if job.cancelled_at is None)
    assert len(world.queue) == 0
    check_documents(world)


def check_documents(world: World) -> None:
    """Between the first and the last step of a job, its document has no step of another."""
    for job in world.jobs.values():
        steps = [tick for tick, one in enumerate(world.worked) if one is job]
        for tick in range(steps[0], steps[-1]) if steps else ():
            other = world.worked[tick]
            assert other is job or other.ticket.document != job.ticket.document


@given(lengths=st.lists(st.integers(1, 8), min_size=2, max_size=CLIENTS), rounds=st.integers(1, 30))
def test_clients_that_hammer_get_alternate_service(lengths: list[int], rounds: int) -> None:
    """Each asks anew as soon as it is answered: in any stretch of time their steps differ by one at most."""
    world = World()
    for client, steps in enumerate(lengths):
        world.arrive(client, 0, "interactive", steps)
    for _ in range(rounds * len(lengths)):
        before = len(world.finished)
        world.tick()
        for job in world.finished[before:]:
            client = int(str(job.ticket.client))
            world.arrive(client, 0, "interactive", lengths[client])
    shares = [sum(job.ticket.client == client for job in world.worked) for client in range(len(lengths))]
    assert max(shares) - min(shares) <= 1


@given(steps=st.integers(1, 8), between=st.integers(0, 3))
def test_of_a_hundred_requests_each_ended_by_the_next_two_run_to_the_end_at_most(steps: int, between: int) -> None:
    world = World()
    older: int | None = None
    for _ in range(100):
        if older is not None:
            world.cancel(older)
        older = world.arrive(0, 0, "interactive", steps)
        for _ in range(between if between < steps else 0):
            world.tick()
    world.drain()
    assert sum(job.done == job.steps for job in world.jobs.values()) <= 2


@given(busy=st.integers(1, CLIENTS - 1), steps=st.integers(1, 8))
def test_a_new_clients_request_is_next_but_those_who_wait(busy: int, steps: int) -> None:
    """However many jobs the others have."""
    world = World()
    for client in range(busy):
        for document in range(10):
            world.arrive(client, document, "interactive", 50)
    for _ in range(busy * 3):
        world.tick()
    number, before = world.arrive(CLIENTS, 0, "interactive", steps), len(world.worked)
    while world.jobs[number] not in world.finished:
        world.tick()
    assert len(world.worked) - before <= (busy + 1) * steps
