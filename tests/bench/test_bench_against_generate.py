"""The suite `engine`: when its ratio counts, when it refuses to time, and itself once with few fills."""

from __future__ import annotations

import argparse
import json

import pytest

from dg_bench.against_generate.cases import Case
from dg_bench.against_generate.filled import Filled
from dg_bench.main import main
from dg_bench.suites import engine

GOLD = "total = sum(values)"


def a_case(our_ms: float, our_text: str, their_text: str) -> Case:
    case = Case("fill cold")
    case.add(Filled(our_text, our_ms, 4), Filled(their_text, 100.0, 8), GOLD)
    return case


@pytest.mark.parametrize(
    ("our_ms", "our_text", "their_text", "within"),
    [
        (20.0, GOLD, GOLD, True),
        (20.0, GOLD, "pass", True),
        (26.0, GOLD, GOLD, False),
        (20.0, "total = sum(value)", GOLD, False),
    ],
)
def test_the_ratio_counts_only_at_no_loss_of_similarity(our_ms: float, our_text: str, their_text: str, *, within: bool) -> None:
    assert a_case(our_ms, our_text, their_text).within(0.25, 0.02) is within


def test_the_rows_of_a_case() -> None:
    case = a_case(20.0, GOLD, "pass")
    case.add(Filled(GOLD, 40.0, 3), Filled("pass", 200.0, 8), GOLD)
    rows = {(one.figure): one for one in case.rows(0.25, 0.02)}
    assert (rows["ours"].ratio, rows["ours"].met, rows["ours"].mean) == (0.2, True, 30.0)
    assert (rows["exact ours"].mean, rows["exact theirs"].mean) == (1.0, 0.0)
    assert (rows["passes ours"].mean, rows["passes theirs"].mean) == (3.5, 8.0)


@pytest.mark.e2e
def test_the_engine_suite_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "--fills", "2", "--smoke"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    cases = {(one["case"], one["figure"]) for one in record["rows"]}
    for case in ("pass", "fill cold", "fill cold, uniform noise", "fill warm"):
        assert {(case, f"{figure}{side}") for figure in ("", "similarity ", "exact ") for side in ("ours", "theirs")} <= cases
    assert all(one["n"] == 2 for one in record["rows"])
    budgets = {one["case"]: one["budget"] for one in record["rows"] if "budget" in one}
    assert budgets == {"fill cold": 0.25}


@pytest.mark.e2e
def test_a_loop_that_commits_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from dg_bench.against_generate import parity  # noqa: PLC0415 - brings torch

    right = parity.loop_canvas
    monkeypatch.setattr(parity, "loop_canvas", lambda *arguments: right(*arguments)[::-1])
    fault = engine.verify(argparse.Namespace(seed=0, model=None, threads=None))
    assert fault is not None
    assert "our loop commits" in fault
