"""`dg-lsp complete FILE:LINE:COL`: one completion, without an editor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from dg_engine.messages import Candidate, Completion, FillJob
from dg_lsp.cli.engines import engine, in_process
from dg_lsp.cli.failure import CommandError
from dg_lsp.cli.languages import language_of
from dg_lsp.cli.place import Place, Sides, parse_place, read_sides
from dg_lsp.context.window import PREFIX_LIMIT, SUFFIX_LIMIT
from dg_lsp.exclude.secrets import SENTENCE, looks_secret


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="complete", short_help="Complete a file at a line and column.")(complete)


def complete(
    place: Annotated[
        str, typer.Argument(metavar="FILE:LINE:COL", help="Where: line and column from 1, columns in characters.")
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False,
    model: Annotated[Path | None, typer.Option(help="Model folder; default: the built-in starter.")] = None,
    max_lines: Annotated[int, typer.Option(min=1, max=64, help="Lines to complete; 1: the rest of this one.")] = 1,
    candidates: Annotated[int, typer.Option(min=1, max=8, help="How many to draft; the surest one is taken.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**62, help="The same seed gives the same text.")] = 0,
    deadline_ms: Annotated[float | None, typer.Option(min=0, help="Answer by then with what there is.")] = None,
    in_this_process: Annotated[
        bool, typer.Option("--in-process", help="Load the model here instead of in an engine process.")
    ] = False,
) -> None:
    """Complete a file at a place, conditioned on the text before and after it.

    Example: dg-lsp complete src/shop.py:12:18 --max-lines 4
    """
    where = parse_place(place)
    if looks_secret(where.file.absolute().as_uri()):
        raise CommandError(SENTENCE)
    sides = read_sides(where)
    job = FillJob(
        id=1,
        document=_encodable(str(where.file)),
        language=language_of(where.file),
        path=_encodable(where.file.name),
        prefix=sides.prefix[-PREFIX_LIMIT:],
        prefix_start=max(0, len(sides.prefix) - PREFIX_LIMIT),
        suffix=sides.suffix[:SUFFIX_LIMIT],
        candidates=candidates,
        continuation=True,
        max_lines=max_lines,
        deadline_ms=deadline_ms,
        seed=seed,
    )
    with (in_process if in_this_process else engine)(model) as fill:
        completion, facts = fill(job)
    if job.language not in (known := facts["languages"].split()):
        typer.echo(f"The model knows {', '.join(known)}; expect little of what it says here.", err=True)
    if as_json:
        typer.echo(json.dumps(_record(where, completion, facts)))
    else:
        _show(sides, completion)


def _record(place: Place, completion: Completion, facts: dict[str, str]) -> dict[str, object]:
    best = completion.candidates[0]
    return {
        "file": str(place.file),
        "line": place.line,
        "column": place.column,
        "text": best.text,
        "confidence": [[span.end, round(span.probability, 4)] for span in best.confidence],
        "passes": best.passes,
        "stop": best.stop,
        "candidates": [candidate.text for candidate in completion.candidates],
        "ms": {
            "queue": completion.timings.queue,
            "encode": completion.timings.encode,
            "denoise": completion.timings.denoise,
        },
        "tokens": {"encoded": completion.encoded, "reused": completion.reused},
        **{name: value for name, value in facts.items() if name != "languages"},
    }


def _show(sides: Sides, completion: Completion) -> None:
    """The line with the insertion marked; what it cost on stderr, so that stdout can be used."""
    best = completion.candidates[0]
    before, after = sides.prefix.rsplit("\n", 1)[-1], sides.suffix.split("\n", 1)[0]
    typer.echo(before + typer.style(best.text, fg="green", bold=True) + after)
    ms = completion.timings.encode + completion.timings.denoise
    typer.echo(f"{best.passes} passes ({best.stop}), {ms:.0f} ms, confidence {mean_confidence(best):.0%}", err=True)


def mean_confidence(candidate: Candidate) -> float:
    """Mean probability of the tokens; 0 for an empty text."""
    return sum(span.probability for span in candidate.confidence) / max(1, len(candidate.confidence))


def _encodable(name: str) -> str:
    """A file's name as text that can be sent: bytes that are no UTF-8 replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
