"""Jobs that run ahead of their requests: from the change on, for clients that ask, and for nothing that would be answered otherwise."""

from __future__ import annotations

from types import SimpleNamespace

import psutil
import pytest

from dg_bench.drive.document import AUTOMATIC, INVOKED, Document
from dg_bench.drive.processes import until
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served
from dg_lsp.requests import power as power_module
from dg_lsp.requests.power import Power

ON = {"completion": {"speculative": True}}


@pytest.fixture(scope="module")
def running(serve: Serve) -> Served:
    """A server with the setting on."""
    served = serve()
    served.client.notify("workspace/didChangeConfiguration", {"settings": ON})
    served.script(Rule(text="value"))
    Document(served.client, "x = ‸\n").items()
    return served


def asked_before(running: Served, marked: str = "x = ‸\n", **more: str) -> Document:
    """A document in which the client asks, and what was said does not continue."""
    running.script(Rule(text="value"))
    document = Document(running.client, marked, **more)
    document.items(AUTOMATIC)
    return document


def jobs(running: Served) -> list[bool]:
    """Of every job so far, whether it ran ahead."""
    running.settle()
    return [job.speculative for job in running.engine.jobs]


def grew(running: Served, before: int) -> bool:
    """Whether another job came."""
    running.settle()
    try:
        running.engine.wait_for(lambda engine: len(engine.jobs) > before, "a job")
    except TimeoutError:
        return False
    return True


def test_the_change_starts_it_and_the_request_has_it(running: Served) -> None:
    document = asked_before(running)
    before = len(jobs(running))
    document.type("q")
    running.engine.wait_for(lambda engine: len(engine.ended) > before, "the job's end")
    for _ in range(3):  # its answer is on its way; the server's loop goes round more often than it takes to be read
        running.settle()
    (item,) = document.items(AUTOMATIC)
    assert document.accepted(item) == "x = qvalue\n"
    assert jobs(running)[before:] == [True]


def test_one_that_still_runs_is_asked_for_again(running: Served) -> None:
    """The engine gives it to the request (tests of the scheduler); this double runs it twice."""
    document = asked_before(running)
    before = len(jobs(running))
    running.script(Rule(text="slow", hold=True))
    document.type("q")
    running.engine.wait_for(lambda engine: len(engine.jobs) > before, "the job")
    message_id = document.begin(AUTOMATIC)
    running.engine.wait_for(lambda engine: len(engine.jobs) > before + 1, "the request's job")
    ahead, request = running.engine.jobs[before:]
    assert (ahead.speculative, request.speculative) == (True, False)
    assert (ahead.prefix, ahead.suffix, ahead.version) == (request.prefix, request.suffix, request.version)
    running.engine.let_go(2)
    assert [item["insertText"] for item in document.answer(message_id)] == ["slow"]


def test_the_next_change_ends_it(running: Served) -> None:
    document = asked_before(running)
    running.script(Rule(text="slow", hold=True))
    before = len(jobs(running))
    for number, sign in enumerate("qrs"):
        document.type(sign)
        running.engine.wait_for(lambda engine, most=before + 1 + number: len(engine.jobs) == most, "the job")
    running.script(Rule(text="slow"))
    running.engine.let_go()
    (item,) = document.items(AUTOMATIC)
    assert document.accepted(item) == "x = qrsslow\n"  # the last one's, or the request's own
    ended = dict(running.engine.ended)
    ahead = [job.id for job in running.engine.jobs[before:] if job.speculative]
    assert [ended.get(job) for job in ahead[:-1]] == ["cancelled"] * len(ahead[:-1])


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.edit(0, 0, "a\nb\n"),
        lambda document: document.edit(0, 1, "y"),
        lambda document: document.replace_all("something = ‸\n"),
    ],
    ids=["many lines", "a replacement", "all of it"],
)
def test_a_change_that_is_not_typing_starts_nothing(running: Served, change: object) -> None:
    assert callable(change)
    document = asked_before(running)
    before = len(jobs(running))
    change(document)
    assert jobs(running)[before:] == []


def test_typing_along_a_shown_suggestion_starts_nothing(running: Served) -> None:
    document = asked_before(running)
    before = len(jobs(running))
    document.type("val")
    assert jobs(running)[before:] == []


def since(running: Served, before: int) -> list[bool]:
    """The jobs since then, once one that was asked for later is there: what was started before it is there too."""
    marker = Document(running.client, "marker = ‸\n")
    marker.items()
    marker.close()
    return jobs(running)[before:-1]


def test_nothing_is_started_inside_a_word(running: Served) -> None:
    document = asked_before(running, "x = na‸\n")
    document.cursor -= 1
    before = len(jobs(running))
    document.type("q")
    assert since(running, before) == []


def test_nothing_is_started_for_a_document_that_is_excluded_by_now(running: Served) -> None:
    """It was asked in before, so that nothing but the exclusion keeps it from being started."""
    document = asked_before(running, uri="file:///w/listed/a.py")
    before = len(jobs(running))
    document.type("q")
    assert since(running, before) == [True]
    excluded = {**ON, "exclude": {"globs": ["listed/"]}}
    running.client.notify("workspace/didChangeConfiguration", {"settings": excluded})
    before = len(jobs(running))
    document.type("q")
    assert since(running, before) == []
    running.client.notify(
        "workspace/didChangeConfiguration", {"settings": {"completion": {"enabled": True, "speculative": True}}}
    )


def test_nothing_is_started_for_a_client_that_does_not_ask(running: Served) -> None:
    """It has asked within its last ten changes, or it does not ask."""
    running.script(Rule(text="value"))
    document = Document(running.client, "x = ‸\n")
    before = len(jobs(running))
    document.type("q")
    assert jobs(running)[before:] == []
    document.items(AUTOMATIC)
    for number in range(10):
        document.type("q")
        running.engine.wait_for(lambda engine, most=before + 2 + number: len(engine.jobs) == most, "the job")
    document.type("q")
    assert jobs(running)[before + 1 :] == [True] * 10


def test_the_setting_switches_it_off(running: Served) -> None:
    document = asked_before(running)
    running.client.notify("workspace/didChangeConfiguration", {"settings": {"completion": {"speculative": False}}})
    before = len(jobs(running))
    document.type("q")
    assert jobs(running)[before:] == []
    running.client.notify("workspace/didChangeConfiguration", {"settings": ON})


def test_asked_for_by_hand_it_is_another_job(running: Served) -> None:
    """More lines are wanted then."""
    document = asked_before(running)
    before = len(jobs(running))
    document.type("q")
    assert grew(running, before)
    assert len(document.items(INVOKED)) == 1
    assert running.engine.jobs[-1].max_lines > 1


@pytest.mark.parametrize("on_battery", [True, False])
def test_the_battery_is_looked_at_once_a_minute(*, on_battery: bool) -> None:
    """On a thread of its own: what it finds counts from then on."""
    looks = []

    def look() -> bool:
        looks.append(True)
        return on_battery

    power = Power(look)
    assert until(lambda: power.on_battery is on_battery)
    assert [power.on_battery for _ in range(3)] == [on_battery] * 3
    assert len(looks) == 1


@pytest.mark.parametrize(("plugged", "on_battery"), [(False, True), (True, False), (None, False)])
def test_what_the_system_says(monkeypatch: pytest.MonkeyPatch, plugged: bool | None, *, on_battery: bool) -> None:
    battery = SimpleNamespace(power_plugged=plugged)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery, raising=False)
    assert power_module._on_battery() is on_battery
    monkeypatch.setattr(psutil, "sensors_battery", lambda: None)
    assert power_module._on_battery() is False
