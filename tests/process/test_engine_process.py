"""The engine as a process: one answer per job, cancel within a pass, and it leaves when it should."""

from __future__ import annotations

import itertools
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dg_engine.messages import (
    PROTOCOL,
    Bye,
    Cancel,
    Cancelled,
    ClientInfo,
    Completion,
    Draft,
    Failed,
    FillJob,
    Hello,
    Release,
    RewriteJob,
    Stats,
    StatsReply,
    Status,
    Welcome,
)
from dg_engine.process import wire
from dg_engine.process.spawn import engine_command
from dg_lsp.cli.engine_session import EngineSession

pytestmark = pytest.mark.e2e

ids = itertools.count(1)
Start = Callable[..., EngineSession]


def job(prefix: str = "def mean(values):\n    return sum(values) / ", suffix: str = "\n", **other: object) -> FillJob:
    number = next(ids)
    return FillJob(id=number, document=f"doc{number}", prefix=prefix, suffix=suffix, **other)  # type: ignore[arg-type]


def counters(engine: EngineSession) -> dict[str, float]:
    engine.send(Stats())
    return engine.until(StatsReply).counters


def test_a_job_is_answered_with_a_completion(engine: EngineSession) -> None:
    one = job()
    engine.send(one)
    completion = engine.until(Completion)
    assert completion.id == one.id
    assert completion.candidates[0].passes >= 1
    assert completion.encoded > 0


def test_drafts_come_before_the_completion_and_only_when_asked_for(engine: EngineSession) -> None:
    asked, plain = job(drafts=True), job()
    for one in (asked, plain):
        engine.send(one)
        engine.until(Completion)
    drafts = [m for m in engine.seen if isinstance(m, Draft)]
    mine = [draft.pass_ for draft in drafts if draft.id == asked.id]
    assert mine == list(range(1, len(mine) + 1))
    assert mine
    assert not [draft for draft in drafts if draft.id == plain.id]


def test_the_same_job_gives_the_same_answer(engine: EngineSession) -> None:
    texts = []
    for _ in range(2):
        one = job(seed=5)
        engine.send(one)
        texts.append(engine.until(Completion).candidates[0].text)
    assert texts[0] == texts[1]


def test_the_next_keystroke_encodes_only_what_changed(engine: EngineSession) -> None:
    prefix = "import os\n\n\n" + "value = compute(1, 2)\n" * 12 + "result = comp"
    first = job(prefix)
    engine.send(first)
    cold = engine.until(Completion)
    engine.send(FillJob(id=next(ids), document=first.document, prefix=prefix + "u", suffix="\n"))
    warm = engine.until(Completion)
    assert cold.encoded > 60
    assert warm.encoded <= 8
    assert warm.reused >= cold.encoded - 8


def test_a_cancelled_job_is_answered_once_and_computes_at_most_one_more_pass(engine: EngineSession) -> None:
    before = counters(engine)
    one = job(max_lines=6, drafts=True, candidates=8)
    engine.send(one)
    engine.until(Draft)
    engine.send(Cancel(id=one.id))
    assert engine.until(Cancelled).id == one.id
    last = max(m.pass_ for m in engine.seen if isinstance(m, Draft) and m.id == one.id)
    after = counters(engine)
    assert after["passes"] - before["passes"] <= last + 1
    assert after["passes"] == counters(engine)["passes"]
    assert not [m for m in engine.seen if isinstance(m, Completion | Failed) and m.id == one.id]


def test_a_waiting_job_is_cancelled_without_any_work(engine: EngineSession) -> None:
    before = counters(engine).get("jobs_completed", 0)
    running, waiting = job(max_lines=6), job()
    engine.send(waiting, running, Cancel(id=waiting.id))
    ended = {engine.until(Cancelled).id, engine.until(Completion).id}
    assert ended == {waiting.id, running.id}
    assert counters(engine)["jobs_completed"] == before + 1


def test_cancelling_what_is_done_says_nothing(engine: EngineSession) -> None:
    one = job()
    engine.send(one)
    engine.until(Completion)
    seen = len(engine.seen)
    engine.send(Cancel(id=one.id), Cancel(id=10_000_000))
    counters(engine)
    assert [type(m) for m in engine.seen[seen:]] == [StatsReply]


def test_a_request_adopts_the_job_that_ran_ahead_of_it(engine: EngineSession) -> None:
    """It goes on as the request's own: nothing is computed twice, and both are answered once."""
    ahead = job(speculative=True)
    request = msgspec.structs.replace(ahead, id=next(ids), speculative=False)
    before = counters(engine)
    engine.send(ahead, request)
    assert engine.until(Cancelled).id == ahead.id
    assert engine.until(Completion).id == request.id
    now = counters(engine)
    assert now["jobs_adopted"] - before.get("jobs_adopted", 0) == 1
    assert now["jobs_completed"] - before.get("jobs_completed", 0) == 1
    assert now["passes"] - before.get("passes", 0) <= 4


@pytest.mark.parametrize("other", [{"document": "elsewhere"}, {"version": 7}, {"prefix": "x = "}, {"max_lines": 3}])
def test_a_request_for_another_place_is_a_job_of_its_own(engine: EngineSession, other: dict[str, object]) -> None:
    ahead = job(speculative=True)
    request = msgspec.structs.replace(ahead, id=next(ids), speculative=False, **other)
    engine.send(ahead, request)
    assert {engine.until(Completion).id, engine.until(Completion).id} == {ahead.id, request.id}


def test_a_deadline_ends_after_two_passes(engine: EngineSession) -> None:
    engine.send(job(deadline_ms=0.0, max_lines=6))
    candidate = engine.until(Completion).candidates[0]
    assert (candidate.passes, candidate.stop) == (2, "deadline")


def test_candidates_are_sorted_by_confidence(engine: EngineSession) -> None:
    engine.send(job(candidates=4, seed=3))
    candidates = engine.until(Completion).candidates
    means = [sum(s.probability for s in c.confidence) / max(1, len(c.confidence)) for c in candidates]
    assert len({c.text for c in candidates}) == len(candidates)
    assert means == sorted(means, reverse=True)


def test_rewriting_is_refused_with_a_sentence(engine: EngineSession) -> None:
    engine.send(RewriteJob(id=77, document="d", before="", selection="x", after=""))
    failed = engine.until(Failed)
    assert (failed.id, failed.kind) == (77, "unsupported")


def test_releasing_an_unknown_document_is_no_fault(engine: EngineSession) -> None:
    engine.send(Release(document="never"))
    engine.send(job())
    assert engine.until(Completion)


def test_jobs_sent_while_loading_are_answered(start: Start) -> None:
    engine = start()
    engine.hello()
    one = job()
    engine.send(one)
    assert engine.until(Welcome).state == "loading"
    assert engine.until(Completion, 60).id == one.id
    progress = [m.progress for m in engine.seen if isinstance(m, Status) and m.state == "loading" and m.progress is not None]
    assert progress == sorted(progress)
    facts = [m for m in engine.seen if isinstance(m, Welcome)][-1]
    assert (facts.profile, facts.device, facts.dtype, facts.languages) == ("starter", "cpu", "float32", ["python"])


def test_a_model_that_cannot_be_loaded_says_why_and_the_engine_leaves(start: Start, tmp_path: Path) -> None:
    engine = start("--model", str(tmp_path / "nothing"))
    engine.hello()
    one = job()
    engine.send(one)
    failed = engine.until(Failed, 60)
    assert (failed.id, failed.kind) == (one.id, "unavailable")
    assert "nothing" in failed.sentence
    assert engine.until(Bye).reason == "stop"
    assert engine.process.wait(10) == 1


def test_it_leaves_when_its_client_does(start: Start) -> None:
    engine = start()
    engine.ready()
    engine.send(job(max_lines=6))
    engine.socket.close()
    assert engine.process.wait(10) == 0


def test_it_leaves_on_sigterm(start: Start) -> None:
    engine = start()
    engine.ready()
    engine.process.send_signal(signal.SIGTERM)
    assert engine.process.wait(10) == 0


def test_another_protocol_is_refused_with_a_sentence(start: Start) -> None:
    engine = start()
    engine.send(Hello(protocol=PROTOCOL + 1, client=ClientInfo(name="later")))
    assert str(PROTOCOL) in engine.until(Bye).sentence


@pytest.mark.parametrize("junk", [b"GET / HTTP/1.1\r\n\r\n", b"\x00\x00\x00\x01\xc1", wire.encode(Cancel(id=1))])
def test_a_client_that_does_not_say_hello_is_let_go(start: Start, junk: bytes) -> None:
    engine = start()
    engine.socket.sendall(junk)
    engine.socket.settimeout(10)
    with pytest.raises((EOFError, ConnectionError)):
        engine.read()


def test_a_listening_engine_serves_several_clients(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    process = subprocess.Popen(engine_command(["--socket", str(path)]))
    try:
        peers = [EngineSession(process, connect(path)) for _ in range(2)]
        for peer in peers:
            peer.ready()
        for peer in peers:
            one = job()
            peer.send(one)
            assert peer.until(Completion).id == one.id
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        peers[0].socket.close()
        peers[1].send(Bye(reason="stop"))
        assert process.wait(10) == 0
        peers[1].socket.close()
        assert not path.exists()
    finally:
        process.kill()
        process.wait()


def connect(path: Path) -> socket.socket:
    """Connect as soon as the engine listens."""
    end = time.monotonic() + 10
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
        except OSError:
            connection.close()
            if time.monotonic() > end:
                raise
        else:
            return connection
