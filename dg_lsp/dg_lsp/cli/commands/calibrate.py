"""`dg-lsp calibrate PATH…`: fit the judge of a model on files that it was not trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dg_lsp.cli.engines import require_engine
from dg_lsp.cli.failure import CommandError

if TYPE_CHECKING:
    from dg_engine.training.judge import Example

_HALVES = 2


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="calibrate", short_help="Fit how sure a model's suggestions are.")(calibrate)


def calibrate(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Folders of Python that the model was not trained on.")],
    *,
    model: Annotated[Path | None, typer.Option(help="Model folder; default: the built-in starter.")] = None,
    items: Annotated[int, typer.Option(min=50, help="Holes to cut.")] = 800,
    seed: Annotated[int, typer.Option(min=0, help="Which ones.")] = 0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; default: beside the weights.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object as the last line.")] = False,
) -> None:
    """Cut lines out of files, fill them, and fit what says how likely a suggestion is to be exactly right.

    The score orders drafts and guesses, and is what `completion.showThreshold` is compared with. Each half is judged by weights that
    were fitted on the other; the table says how many of the suggestions with a score were right.

    Example: dg-lsp calibrate ~/src/project-a ~/src/project-b
    """
    require_engine()
    from dg_engine.judge import JUDGE_FILE  # noqa: PLC0415 - brings torch
    from dg_engine.loading import builtin_folder  # noqa: PLC0415
    from dg_engine.training.judge import fit  # noqa: PLC0415

    if missing := [str(path) for path in paths if not path.exists()]:
        raise CommandError(f"{', '.join(missing)} cannot be found.", 2)
    examples = _examples(paths, model, items, seed)
    try:
        table = _cross_judged(examples)
        weights = fit(examples)
    except ValueError as error:
        raise CommandError(f"Nothing was fitted: {error}.") from None
    target = output or (model or builtin_folder()) / JUDGE_FILE
    try:
        target.write_bytes(weights.write())
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}.") from None
    for one in table:
        typer.echo(f"score {one['score']:.2f}: {one['right']:.0%} of {one['count']} right")
    typer.echo(f"Written: {target}")
    if as_json:
        typer.echo(json.dumps({"items": len(examples), "reliability": table, "file": str(target)}))


def _examples(paths: list[Path], model: Path | None, items: int, seed: int) -> list[Example]:
    """What is known about every candidate of every hole."""
    from dg_bench.infill.filled import Asker  # noqa: PLC0415 - brings torch
    from dg_bench.infill.holes import holes, sources  # noqa: PLC0415
    from dg_engine.errors import EngineError  # noqa: PLC0415
    from dg_engine.fill import Filler  # noqa: PLC0415
    from dg_engine.judge import Judged  # noqa: PLC0415
    from dg_engine.model import Model  # noqa: PLC0415
    from dg_engine.training.judge import Example  # noqa: PLC0415

    try:
        filler = Filler(Model.load(model))
        files = sources(paths)
        chosen = holes(files, items, seed)
    except (EngineError, OSError, ValueError) as error:
        raise CommandError(str(error)) from None
    seen: list[Judged] = []
    filler.watch = seen.extend
    ask = Asker(filler, files, "package")
    examples = []
    with typer.progressbar(chosen, label="filling") as bar:
        for hole in bar:
            seen.clear()
            ask(hole)
            examples.append(Example(list(seen), hole.rest))
    return examples


def _cross_judged(examples: list[Example]) -> list[dict[str, float]]:
    """The reliability of the best candidate of each hole, judged by weights that have not seen it."""
    from dg_engine.judge import score  # noqa: PLC0415 - brings torch
    from dg_engine.training.judge import fit, is_right, reliability  # noqa: PLC0415

    scores, right = [], []
    for half in range(_HALVES):
        weights = fit(examples[1 - half :: _HALVES])
        for job in examples[half::_HALVES]:
            value, best = max(((score(weights, one, job.candidates), one) for one in job.candidates), key=lambda pair: pair[0])
            scores.append(value)
            right.append(is_right(best, job.truth))
    return [
        {"count": one.count, "score": round(one.score, 4), "right": round(one.right, 4)} for one in reliability(scores, right)
    ]
