"""Cuts the rest of lines of code out of files, fills them as the server does, and says how often they come back.

Files that no model was trained on come with the harness; PATH names others, each folder a package whose files count as open together.
Figures of quality have no spread in time: a busy machine changes only the milliseconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dg_bench.progress import say
from dg_bench.record import Row, row

if TYPE_CHECKING:
    from dg_bench.infill.filled import Filled, Open
    from dg_bench.infill.holes import Source

TITLE = "how often the rest of a line comes back as it was"
NEEDS = ("torch",)

_LENGTHS = (("rest of 2-5", 2, 5), ("rest of 6-15", 6, 15), ("rest of 16 and more", 16, 1 << 30))
_SMOKE = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """What this suite takes."""
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="folders or files of Python; default: the harness' own"
    )
    parser.add_argument("--model", type=Path, help="model folder; default: the built-in starter")
    parser.add_argument("--items", type=int, default=400, help="holes (default: 400)")
    parser.add_argument("--seed", type=int, default=0, help="which ones (default: 0)")
    parser.add_argument(
        "--open", choices=("nothing", "file", "package"), help="where guesses come from (default: each in turn)"
    )
    parser.add_argument(
        "--typing", action="store_true", help="ask as while somebody types, not as if by hand: faster, no continuation"
    )
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of the fills")


def misuse(options: argparse.Namespace) -> str | None:
    """Why these options cannot be served."""
    missing = [str(path) for path in options.paths if not path.exists()]
    if missing:
        return f"{', '.join(missing)} cannot be found."
    return None if options.items > 0 else "--items must be above 0."


def verify(options: argparse.Namespace) -> str | None:
    """Nothing is compared with anything else here."""
    del options
    return None


def measure(options: argparse.Namespace) -> list[Row]:
    """Rows for each source of guesses."""
    import torch  # noqa: PLC0415 - the list of suites does without it

    from dg_bench.infill.filled import Asker  # noqa: PLC0415
    from dg_bench.infill.holes import holes, sources  # noqa: PLC0415
    from dg_engine.fill import Filler  # noqa: PLC0415
    from dg_engine.model import Model  # noqa: PLC0415

    torch.set_num_threads(max(1, torch.get_num_threads() // 2))  # as the engine's own default
    filler = Filler(Model.load(options.model, device="cpu", dtype="float32"))
    files = sources(options.paths) if options.paths else _own()
    chosen = holes(files, _SMOKE if options.smoke else options.items, options.seed)
    kinds: Sequence[Open] = [options.open] if options.open else ["nothing", "file", "package"]
    rows: list[Row] = []
    for opened in kinds:
        ask = Asker(filler, files, opened, by_hand=not options.typing)
        filled = []
        for number, hole in enumerate(chosen, 1):
            filled.append(ask(hole))
            if number % 50 == 0:
                say(f"guesses from {opened}: {number} of {len(chosen)}")
        _show(filled, options.show)
        rows += _rows(opened, filled)
    return rows


def _own() -> list[Source]:
    from dg_bench.infill.holes import Source  # noqa: PLC0415
    from dg_bench.items import sources  # noqa: PLC0415

    return [Source(name, "harness", text) for name, text in sources()]


def _rows(opened: str, filled: Sequence[Filled]) -> list[Row]:
    case = f"guesses from {opened}"
    figures: dict[str, Callable[[Filled], float]] = {
        "exact": lambda one: one.exact,
        "similarity": lambda one: one.similarity,
        "parses": lambda one: one.parses,
        "echoes": lambda one: one.echoes,
        "began from a guess": lambda one: one.guessed,
    }
    rows = [row(case, name, "share", [float(value(one)) for one in filled]) for name, value in figures.items()]
    rows += [
        row(case, "passes", "passes", [float(one.passes) for one in filled]),
        row(case, "fill", "ms", [one.ms for one in filled]),
    ]
    if opened != "nothing":
        rows.append(row(case, "asking the index", "ms", [one.guess_ms for one in filled]))
    for name, low, high in _LENGTHS:
        some = [float(one.exact) for one in filled if low <= len(one.hole.rest) <= high]
        rows += [row(f"{case}, {name}", "exact", "share", some)] if some else []
    return rows


def _show(filled: Sequence[Filled], count: int) -> None:
    for one in filled[: max(0, count)]:
        before = one.hole.source.text.split("\n")[one.hole.line][: one.hole.column]
        mark = "=" if one.exact else " "
        say(f"{mark} {before!r} | {one.text!r} | {one.hole.rest!r}  {one.sure:.2f}{' guess' if one.guessed else ''}")
