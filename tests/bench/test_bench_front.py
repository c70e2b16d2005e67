"""The suites `documents` and `front`, once, with little work: every case has its figure, and a wrong answer is found."""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

import pytest

from dg_bench.documents.sides import OurServer, PyglsServer
from dg_bench.documents.typing_bursts import Key, keys
from dg_bench.drive.script import Rule
from dg_bench.front import stage
from dg_bench.main import main
from dg_bench.soak.run import Growth
from dg_bench.soak.window import Tally
from dg_bench.suites import documents, front


def record(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The last line of a smoke run."""
    assert main([*words, "--smoke"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_keys_are_the_same_for_the_same_seed_and_stay_inside_the_text() -> None:
    text = "value_1 = 2\n" * 50
    typed = keys(text, 45, random.Random(1))  # noqa: S311 - reproducible, no secret
    assert typed == keys(text, 45, random.Random(1))  # noqa: S311 - as above
    assert len(typed) == 45
    assert all(key.line < 50 for key in typed)
    assert typed[1] == Key(typed[0].line, typed[0].character + 1, typed[1].text)


def test_both_sides_hold_what_was_typed() -> None:
    for server in (OurServer(), PyglsServer()):
        server.open("ab\ncd\n")
        assert server.change(Key(1, 1, "x")) > 0
        assert server.look_up(Key(1, 1, "")) > 0
        assert server.text == "ab\ncxd\n"


def test_a_store_that_holds_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OurServer, "text", property(lambda _: "other"))
    assert documents.verify(argparse.Namespace(seed=0)) == "the two hold different texts after the same keys."


def test_an_answer_that_is_not_the_engines_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "DRAFT", "other")
    fault = front.verify(argparse.Namespace())
    assert fault is not None
    assert "other" in fault


@pytest.mark.e2e
def test_documents_runs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = record(capsys, "documents", "--keys", "5")["rows"]
    cases = [f"{what}, {lines} lines" for lines in (1_000, 10_000, 100_000) for what in ("change", "look-up")]
    assert [(one["case"], one["figure"]) for one in rows] == [(case, side) for case in cases for side in ("ours", "theirs")]
    assert {one["case"]: one["budget"] for one in rows if "budget" in one} == {
        "change, 100000 lines": 0.5,
        "look-up, 100000 lines": 0.5,
    }


@pytest.mark.e2e
def test_front_runs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = record(capsys, "front", "--requests", "3", "--starts", "1")["rows"]
    budgets = {one["case"]: (one["budget"], one["judged"]) for one in rows if "budget" in one}
    ends = ("exit after shutdown", "exit", "end of stdin", "SIGTERM", "the editor's death")
    assert budgets == {
        "overhead, 10000 lines": (5.0, "p95"),
        "overhead, 100000 lines": (8.0, "p95"),
        "typed along, no engine": (5.0, "p95"),
        "cancel to reply": (10.0, "p95"),
        "after a cancel": (1.0, "p95"),
        "100 requests, 99 superseded": (2.0, "p95"),
        "start to initialize": (1.2, "ratio"),
        **{f"gone after {end}": (2000.0, "p95") for end in ends},
    }


@pytest.mark.e2e
def test_a_request_that_never_reached_the_engine_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    from dg_bench.front import overhead  # noqa: PLC0415 - beside what it judges

    monkeypatch.setattr(overhead, "DRAFT", "value")
    whole = stage.stage
    monkeypatch.setattr(overhead, "stage", lambda: whole(Rule(text="q" * 50)))  # what is typed continues the answer
    with pytest.raises(RuntimeError, match="reached the engine"):
        overhead.overhead(10, 5)


@pytest.mark.e2e
def test_reuse_runs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = record(capsys, "reuse", "--items", "1")["rows"]
    cases = [f"key, {pause} ms, request ({editor})" for pause, editor in ((50, "VS Code"), (200, "Neovim"))]
    assert [(one["case"], one["figure"]) for one in rows] == [(case, side) for case in cases for side in ("ahead", "not ahead")]


@pytest.mark.e2e
def test_soak_runs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {one["case"]: one for one in record(capsys, "soak", "--minutes", "0.1")["rows"]}
    assert rows["answers"]["max"] > 0
    assert (rows["lost"]["max"], rows["lost"]["budget"]) == (0.0, 0.0)


def test_growth_is_a_slope_and_its_first_minute_does_not_count() -> None:
    growth = Growth(
        [float(t) for t in range(0, 300, 5)], [100 * 2**20 if t < 60 else (t - 60) * 2**20 // 60 for t in range(0, 300, 5)]
    )
    slope = growth.slope()
    assert slope is not None
    assert slope == pytest.approx(1.0, abs=0.01)
    assert Growth([0.0, 5.0], [1, 2]).slope() is None


def test_a_tally_knows_what_is_lost() -> None:
    tally = Tally()
    tally.note({"result": []}, 3.0)
    tally.note({"error": {"code": -32800}}, 3.0)
    tally.note({"error": {"code": -32603}}, 3.0)
    tally.note({"result": None}, 3.0)
    assert (tally.answered_ms, tally.cancelled, len(tally.lost)) == ([3.0], 1, 2)
