"""The record as a table for people: drawn on a terminal, plain columns elsewhere."""

from __future__ import annotations

from typing import TextIO

from dg_bench.record import Record, Row

_HEADS = ("case", "figure", "unit", "n", "p50", "p95", "max", "mean", "ratio", "")
_LEFT = 3
"""Columns of words; the ones behind hold numbers, the last one remarks."""


def write_table(record: Record, out: TextIO) -> None:
    """One line a row; a missed budget and a busy machine are said in words."""
    title = f"{record.suite} on {record.device}, commit {record.commit or 'unknown'}, {_versions(record)}"
    lines = [_cells(row) for row in record.rows]
    if out.isatty():
        _drawn(title, lines, out)
    else:
        out.write(title + "\n" + _plain(lines))


def _cells(row: Row) -> tuple[str, ...]:
    numbers = (f"{value:.2f}" for value in (row.p50, row.p95, row.max, row.mean))
    ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
    return (row.case, row.figure, row.unit, str(row.n), *numbers, ratio, _remark(row))


def _plain(lines: list[tuple[str, ...]]) -> str:
    table = [_HEADS, *lines]
    widths = [max(len(cells[i]) for cells in table) for i in range(len(_HEADS) - 1)]
    text = ""
    for cells in table:
        words = [cell.ljust(widths[i]) if i < _LEFT else cell.rjust(widths[i]) for i, cell in enumerate(cells[:-1])]
        text += "  ".join([*words, cells[-1]]).rstrip() + "\n"
    return text


def _drawn(title: str, lines: list[tuple[str, ...]], out: TextIO) -> None:
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title, title_justify="left")
    for number, head in enumerate(_HEADS):
        table.add_column(head, justify="left" if number < _LEFT or not head else "right", no_wrap=bool(head))
    before = ""
    for cells in lines:
        if before not in {"", cells[0]}:
            table.add_section()
        before = cells[0]
        table.add_row(*cells, style="red" if "MISSED" in cells[-1] else None)
    Console(file=out).print(table)


def _remark(row: Row) -> str:
    words = []
    if row.budget is not None:
        words.append(f"budget {row.judged} {row.budget}: {'met' if row.met else 'MISSED'}")
    if row.busy:
        words.append("busy")
    return ", ".join(words)


def _versions(record: Record) -> str:
    return " ".join(f"{name} {version}" for name, version in record.versions.items())
