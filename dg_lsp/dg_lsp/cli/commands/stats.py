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
_OF_CLIENT = re.compile(r"(?P<name>\w+)_of_client_(?P<client>\d+)")


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
        sys.stdout.write("".join(_exposed(found)))
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


def _exposed(found: list[Resident]) -> Iterator[str]:
    """Text format 0.0.4: each metric once, its samples labelled with the engine, and with the client where it is one's."""
    samples: dict[tuple[str, str], list[str]] = {}
    for one in found:
        for name, kind, labels, value in _samples(one):
            text = ",".join(f'{key}="{held}"' for key, held in {"engine": one.identity, **labels}.items())
            base = name.removesuffix("_count")
            samples.setdefault((base if kind == "summary" else name, kind), []).append(f"dg_lsp_{name}{{{text}}} {value:g}\n")
    for (name, kind), lines in samples.items():
        yield f"# TYPE dg_lsp_{name} {kind}\n"
        yield from lines


def _samples(one: Resident) -> Iterator[tuple[str, str, dict[str, str], float]]:
    """Name, kind, labels and value of everything that is known of an engine."""
    for name, gauge in (("clients", one.clients), ("queue", one.queue), ("memory_bytes", one.memory_bytes)):
        yield name, "gauge", {}, gauge
    for name, value in sorted(one.counters.items()):
        yield f"{_safe(name)}_total", "counter", {}, value
    for name, values in sorted(one.histograms.items()):
        match = _OF_CLIENT.fullmatch(name)
        labels = {"client": match["client"]} if match else {}
        plain = _safe(match["name"] if match else name)
        for share in _SHARES:
            yield plain, "summary", {**labels, "quantile": str(share)}, percentile(values, share)
        yield f"{plain}_count", "summary", labels, len(values)


def _safe(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)
