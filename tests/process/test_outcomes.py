"""Shown and accepted, each once."""

from __future__ import annotations

from dg_engine.messages import Outcome
from dg_engine.process.counters import Counters
from dg_engine.process.outcomes import Outcomes


def counted(*told: tuple[str, int, int]) -> tuple[float, float, float]:
    """Shown, accepted and characters after (client, job, accepted characters) were told."""
    counters = Counters()
    outcomes = Outcomes(counters)
    for client, job, chars in told:
        outcomes.note(client, Outcome(id=job, shown=True, accepted_chars=chars))
    sums, _ = counters.snapshot()
    return sums["shown"], sums.get("accepted", 0), sums.get("accepted_chars", 0)


def test_each_way_of_telling_counts_once() -> None:
    """A client tells that it is shown, inserts it, and runs its command."""
    assert counted(("a", 1, 0), ("a", 1, 7), ("a", 1, 7)) == (1, 1, 7)


def test_parts_add_up_to_the_whole() -> None:
    assert counted(("a", 1, 3), ("a", 1, 7), ("a", 1, 10)) == (1, 1, 10)


def test_clients_and_jobs_are_told_apart() -> None:
    assert counted(("a", 1, 3), ("b", 1, 4), ("a", 2, 0)) == (3, 2, 7)


def test_what_is_remembered_is_bounded() -> None:
    shown, _, _ = counted(*(("a", job, 0) for job in range(1000)), ("a", 0, 0))
    assert shown == 1001  # job 0 was forgotten
