"""`dg-lsp stats`: what the engines have done since they started."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer

from dg_bench.percentiles import percentile
from dg_lsp.cli.failure import CommandError
from dg_lsp.cli.residents import Resident, residents

_SHARES = (0.5, 0.95)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="stats", short_help="What the engines have done so far.")(stats)


def stats(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print Prometheus' text format.")] = False,
) -> None:
    """Latency by phase, passes, tokens, cancels, memory, what was shown and accepted: numbers only, of the engines that run.

    Latencies are of the last 512 answers.
    """
    if as_json and prometheus:
        raise CommandError("Say either --json or --prometheus.", 2)
    found = residents()
    if prometheus:
        sys.stdout.write("".join(line for one in found for line in _exposed(one)))
        return
    for one in found:
        _show(one)
    if not found:
        typer.echo("No engine runs; the first editor that needs one starts it.")
    if as_json:
        typer.echo(json.dumps({"engines": [_record(one) for one in found]}))


def _show(one: Resident) -> None:
    typer.echo(one.sentence)
    for name, value in sorted(one.counters.items()):
        typer.echo(f"  {name:28} {value:>12,.0f}")
    for name, values in sorted(one.histograms.items()):
        p50, p95 = (percentile(values, share) for share in _SHARES)
        typer.echo(f"  {name:28} p50 {p50:>8,.1f}  p95 {p95:>8,.1f}  n {len(values)}")


def _record(one: Resident) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(one)
    record["histograms"] = {
        name: {"n": len(values), **{f"p{share * 100:.0f}": percentile(values, share) for share in _SHARES}}
        for name, values in one.histograms.items()
    }
    return record


def _exposed(one: Resident) -> Iterator[str]:
    """Text format 0.0.4: counters, gauges and summaries, labelled with the engine."""
    label = f'engine="{one.identity}"'
    for name, gauge in (("clients", one.clients), ("queue", one.queue), ("memory_bytes", one.memory_bytes)):
        yield f"# TYPE dg_lsp_{name} gauge\ndg_lsp_{name}{{{label}}} {gauge}\n"
    for name, value in sorted(one.counters.items()):
        yield f"# TYPE dg_lsp_{_safe(name)}_total counter\ndg_lsp_{_safe(name)}_total{{{label}}} {value:g}\n"
    for name, values in sorted(one.histograms.items()):
        yield f"# TYPE dg_lsp_{_safe(name)} summary\n"
        for share in _SHARES:
            yield f'dg_lsp_{_safe(name)}{{{label},quantile="{share}"}} {percentile(values, share):g}\n'
        yield f"dg_lsp_{_safe(name)}_count{{{label}}} {len(values)}\n"


def _safe(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)
