"""Percentiles, records, tables, what is not printed and not recorded."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from dg_bench import load
from dg_bench.main import main
from dg_bench.percentiles import percentile
from dg_bench.record import Record, append, line, row, within
from dg_bench.runner import run
from dg_bench.table import write_table


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
    one = row("fill", "ours", "ms", [1.0], ratio=0.2, budget=0.25, judged="ratio", met=True)
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
    kept = json.loads((tmp_path / "results" / "engine.jsonl").read_text("utf-8"))
    assert (kept["case"], kept["commit"], kept["device"], kept["ratio"]) == ("fill", "abc", "cpu", 0.2)


def a_suite(fault: str | None, *, met: bool) -> SimpleNamespace:
    return SimpleNamespace(
        verify=lambda _: fault, measure=lambda _: [row("fill", "ours", "ms", [1.0], ratio=1.0, budget=0.2, met=met)]
    )


def test_no_figure_on_red() -> None:
    record, verified = run("engine", a_suite("ids differ", met=True), argparse.Namespace())
    assert (record.rows, record.ok, verified) == ([], False, False)


@pytest.mark.parametrize(("values", "met"), [([1.0] * 19 + [9.0], True), ([1.0] * 18 + [9.0] * 2, False)])
def test_a_budget_of_p95(values: list[float], *, met: bool) -> None:
    one = within("change", "ours", "ms", values, 2.0)
    assert (one.judged, one.budget, one.met) == ("p95", 2.0, met)


def test_a_missed_budget_is_not_ok() -> None:
    record, verified = run("engine", a_suite(None, met=False), argparse.Namespace())
    assert (len(record.rows), record.ok, verified) == (1, False, True)


@pytest.mark.parametrize(("before", "meanwhile", "busy"), [(0.9, 0.0, True), (0.1, 0.9, True), (0.1, 0.1, False)])
def test_rows_of_a_busy_machine_are_marked(
    monkeypatch: pytest.MonkeyPatch, before: float, meanwhile: float, *, busy: bool
) -> None:
    monkeypatch.setattr(load, "load_per_core", lambda: before)
    monkeypatch.setattr(load.Others, "per_core", lambda _: meanwhile)
    one = run("engine", a_suite(None, met=True), argparse.Namespace())[0].rows[0]
    assert (one.load, one.busy) == (before, busy)


def test_a_suite_may_load_the_machine_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """By processes that are not its children."""
    monkeypatch.setattr(load, "load_per_core", lambda: 0.1)
    monkeypatch.setattr(load.Others, "per_core", lambda _: 0.9)
    suite = a_suite(None, met=True)
    suite.OWN_LOAD = True
    assert not run("soak", suite, argparse.Namespace())[0].rows[0].busy


def test_what_others_take_is_not_what_we_take() -> None:
    others = load.Others()
    sum(number * number for number in range(200_000))
    assert 0.0 <= others.per_core() <= 1.0


def test_the_table_says_what_was_missed_and_what_was_busy() -> None:
    record = a_record(busy=True)
    record.rows[0].met = False
    out = io.StringIO()
    write_table(record, out)
    title, head, one = out.getvalue().splitlines()
    assert title.startswith("engine on cpu, commit abc")
    assert head.split() == ["case", "figure", "unit", "n", "p50", "p95", "max", "mean", "ratio"]
    assert one.split()[:4] == ["fill", "ours", "ms", "1"]
    assert one.endswith("0.200  budget ratio 0.25: MISSED, busy")


def test_the_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "documents",
        "engine",
        "front",
        "infill",
        "reuse",
        "soak",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a suite: documents, engine, front, infill, reuse, soak"),
        (["engine", "--passes", "2"], "--passes must be above 2"),
        (["engine", "--items", "0"], "at least one hole"),
        (["engine", "--items", "100000"], "holes can be cut, not 100003"),
        (["documents", "--keys", "0"], "--keys must be at least 1"),
        (["reuse", "--items", "0"], "--items must be at least 1"),
        (["soak", "--minutes", "0"], "--minutes must be above 0"),
        (["front", "--requests", "0"], "--requests and --starts"),
    ],
)
def test_misuse_is_one_sentence_and_2(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err


def test_an_unknown_suite_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


def test_recording_needs_a_place(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dg_bench.checkout.root", lambda: None)
    assert main(["engine", "--record"]) == 2
    assert "--results DIR" in capsys.readouterr().err
