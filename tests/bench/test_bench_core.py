"""Percentiles, records, what is not printed and not recorded; and the suite itself once, with few fills."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from dg_bench import machine
from dg_bench.items import exact, items, similarity
from dg_bench.main import main
from dg_bench.percentiles import percentile
from dg_bench.record import Record, append, line, row
from dg_bench.runner import run
from dg_bench.suites import engine


def test_percentiles_are_values_that_were_measured() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, share) for share in (0.0, 0.5, 0.95, 1.0)] == [1.0, 3.0, 5.0, 5.0]
    assert percentile([7.0], 0.5) == 7.0
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_a_row() -> None:
    one = row("fill", "ours", "ms", [1.0, 3.0, 2.0], ratio=0.5)
    assert (one.n, one.p50, one.p95, one.max, one.mean, one.ratio) == (3, 2.0, 3.0, 3.0, 2.0, 0.5)


def a_record(*, busy: bool = False) -> Record:
    one = row("fill", "ours", "ms", [1.0], ratio=0.2, budget=0.25, met=True)
    one.busy = busy
    return Record(suite="engine", commit="abc", device="cpu", versions={"python": "3"}, rows=[one], ok=True)


def test_the_record_is_one_line_with_every_field() -> None:
    text = line(a_record())
    assert "\n" not in text
    tree = json.loads(text)
    assert set(tree) == {"suite", "commit", "device", "versions", "rows", "ok"}
    assert {"case", "figure", "unit", "n", "p50", "p95", "max", "ratio", "budget", "met"} <= set(tree["rows"][0])
    assert msgspec.convert(tree, Record) == a_record()


def test_busy_rows_are_not_recorded(tmp_path: Path) -> None:
    assert append(a_record(busy=True), tmp_path / "results") == 0
    assert not (tmp_path / "results").exists()
    assert append(a_record(), tmp_path / "results") == 1
    assert json.loads((tmp_path / "results" / "engine.jsonl").read_text("utf-8"))["rows"][0]["case"] == "fill"


def a_suite(fault: str | None, *, met: bool) -> SimpleNamespace:
    return SimpleNamespace(
        verify=lambda _: fault, measure=lambda _: [row("fill", "ours", "ms", [1.0], ratio=1.0, budget=0.2, met=met)]
    )


def test_no_figure_on_red() -> None:
    record, verified = run("engine", a_suite("ids differ", met=True), argparse.Namespace())
    assert (record.rows, record.ok, verified) == ([], False, False)


def test_a_missed_budget_is_not_ok() -> None:
    record, verified = run("engine", a_suite(None, met=False), argparse.Namespace())
    assert (len(record.rows), record.ok, verified) == (1, False, True)


def test_rows_of_a_busy_machine_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load_per_core", lambda: 0.9)
    assert run("engine", a_suite(None, met=True), argparse.Namespace())[0].rows[0].busy
    monkeypatch.setattr(machine, "load_per_core", lambda: 0.1)
    assert not run("engine", a_suite(None, met=True), argparse.Namespace())[0].rows[0].busy


def test_holes_are_the_same_for_the_same_seed_and_join_to_their_file() -> None:
    first, again, other = items(40, 1), items(40, 1), items(40, 2)
    assert first == again
    assert first != other
    for item in first:
        assert item.gold.strip()
        assert "\n" not in item.gold
        assert item.suffix.startswith("\n") or item.suffix == ""
        assert compile(item.prefix + item.gold + item.suffix, item.name, "exec")


def test_similarity_and_exactness_ignore_blanks_at_the_ends() -> None:
    assert similarity(" a = 1", "a = 1 ") == 1.0
    assert similarity("abcd", "abxy") == 0.5
    assert exact("x)", " x)")
    assert not exact("x", "y")


def test_the_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.startswith("engine ")
    assert main([]) == 2


@pytest.mark.parametrize(("theirs", "met"), [(0.30, True), (0.33, False)])
def test_the_ratio_counts_only_at_no_loss_of_similarity(theirs: float, *, met: bool) -> None:
    taken = engine._Taken()
    taken.add({"fill cold ours": 20.0, "fill cold theirs": 100.0, "similarity ours": 0.3, "similarity theirs": theirs})
    assert engine._judged(taken) == {"budget": 0.25, "met": met}


@pytest.mark.e2e
def test_the_engine_suite_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "--fills", "2", "--smoke"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    cases = {(one["case"], one["figure"]) for one in record["rows"]}
    assert {
        ("fill cold", "ours"),
        ("fill cold", "theirs"),
        ("fill warm", "ours"),
        ("pass", "theirs"),
        ("similarity", "ours"),
    } <= cases
    assert all(one["n"] == 2 for one in record["rows"])
    assert next(one for one in record["rows"] if one["case"] == "fill cold")["budget"] == 0.25
