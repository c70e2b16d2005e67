"""The record as a table for people."""

from __future__ import annotations

from typing import TextIO

from dg_bench.record import Record, Row


def write_table(record: Record, out: TextIO) -> None:
    """Plain columns; a missed budget and a busy machine are said in words."""
    out.write(f"{record.suite} on {record.device}, commit {record.commit or 'unknown'}, {_versions(record)}\n")
    out.write(f"{'case':34} {'figure':22} {'unit':6} {'n':>4} {'p50':>9} {'p95':>9} {'mean':>9} {'ratio':>7} \n")
    for row in record.rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
        figures = f"{row.n:>4} {row.p50:>9.2f} {row.p95:>9.2f} {row.mean:>9.3f} {ratio:>7}"
        out.write(f"{row.case:34} {row.figure:22} {row.unit:6} {figures} {_remark(row)}\n")


def _remark(row: Row) -> str:
    words = []
    if row.budget is not None:
        words.append(f"budget {row.budget}: {'met' if row.met else 'MISSED'}")
    if row.busy:
        words.append(f"busy (load {row.load:.2f} per core)")
    return ", ".join(words)


def _versions(record: Record) -> str:
    return " ".join(f"{name} {version}" for name, version in record.versions.items())
