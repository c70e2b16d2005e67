"""What a suite says at the end: rows of figures with everything needed to judge them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from dg_bench.percentiles import percentile


class Row(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One figure of one case. `ratio` is ours / theirs; `budget` is what the figure named by `judged` must not exceed."""

    case: str
    figure: str
    unit: str
    n: int
    p50: float
    p95: float
    max: float
    mean: float
    ratio: float | None = None
    budget: float | None = None
    judged: Literal["ratio", "p95"] | None = None
    met: bool | None = None
    """Whether the budget holds; given with it."""
    load: float = 0.0
    """Load average per core when the measuring began."""
    busy: bool = False
    """The machine did something else too: compares with nothing and is not recorded."""


class Record(msgspec.Struct, kw_only=True):
    """A suite's last line."""

    suite: str
    commit: str
    device: str
    versions: dict[str, str]
    rows: list[Row]
    ok: bool


def row(case: str, figure: str, unit: str, values: Sequence[float], **more: Any) -> Row:
    """A row from measured values."""
    return Row(
        case=case,
        figure=figure,
        unit=unit,
        n=len(values),
        p50=round(percentile(values, 0.5), 4),
        p95=round(percentile(values, 0.95), 4),
        max=round(max(values), 4),
        mean=round(sum(values) / len(values), 4),
        **more,
    )


def within(case: str, figure: str, unit: str, values: Sequence[float], budget: float) -> Row:
    """A row whose p95 must not exceed the budget."""
    return row(case, figure, unit, values, budget=budget, judged="p95", met=percentile(values, 0.95) <= budget)


def line(record: Record) -> str:
    """The record as one line of JSON."""
    return json.dumps(msgspec.to_builtins(record))


def append(record: Record, folder: Path) -> int:
    """Append the rows that were not busy to FOLDER/SUITE.jsonl, one a line, each with what it was measured on; returns how many."""
    quiet = [r for r in record.rows if not r.busy]
    if quiet:
        about = {"suite": record.suite, "at": datetime.now(UTC).isoformat(timespec="seconds"), "commit": record.commit}
        about_machine = {"device": record.device, "versions": record.versions}
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{record.suite}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(about | msgspec.to_builtins(r) | about_machine) + "\n" for r in quiet)
    return len(quiet)
