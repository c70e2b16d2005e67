"""How well a model completes lines of packages it never saw: `evaluate.py MODEL --site FOLDER [--corpus FOLDER] [--n 400]`.

Single-line fills through the engine's own Filler. A line of 12 to 70 characters outside comments and docstrings is cut in its first two
thirds, then at the word's end; the hole is the rest of the line. With --corpus, losses on files kept from training too.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import random
import re
import time
import tokenize
from collections import defaultdict
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import torch

from dg_engine.fill import Filler
from dg_engine.loading import builtin_folder
from dg_engine.messages import Completion, FillJob
from dg_engine.model import Model
from dg_engine.steps import finish

PACKAGES = ("flask", "click", "werkzeug", "jinja2", "requests")
LENGTHS = (("2-5", 2, 5), ("6-15", 6, 15), ("more", 16, 999))


@dataclass(frozen=True)
class Item:
    """One fill."""

    path: str
    prefix: str
    rest: str
    suffix: str


def prose_lines(text: str) -> set[int]:
    """Numbers of lines that a comment or a string of several lines touches, from 1."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(text).readline):
        several = token.start[0] != token.end[0]
        if token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING and (several or token.string[-3:] in {'"""', "'''"})
        ):
            lines |= set(range(token.start[0], token.end[0] + 1))
    return lines


def items_of(path: str, text: str, rng: random.Random) -> list[Item]:
    """One cut in each fitting line of a file."""
    found, start, prose = [], 0, prose_lines(text)
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        body = line.rstrip("\n")
        if number not in prose and 12 <= len(body.strip()) <= 70:
            indent = len(body) - len(body.lstrip())
            cut = indent + int(rng.random() * len(body.strip()) * 2 / 3)
            cut += len(re.match(r"\w*", body[cut:])[0])  # type: ignore[index]  # matches the empty string too
            if len(body) - cut >= 2:
                at, end = start + cut, start + len(body)
                found.append(Item(path, text[:at], text[at:end], text[end:]))
        start += len(line)
    return found


def sample(site: Path, n: int, seed: int) -> list[Item]:
    """n items, equally from the packages."""
    rng, chosen = random.Random(seed), []
    for package in PACKAGES:
        pool: list[Item] = []
        for file in sorted((site / package).rglob("*.py")):
            text = file.read_text("utf-8")
            if "\r" not in text and len(text) > 500:
                pool += items_of(file.relative_to(site).as_posix(), text, rng)
        rng.shuffle(pool)
        chosen += pool[: n // len(PACKAGES)]
    return chosen


def fill(filler: Filler, number: int, item: Item) -> tuple[Completion, float]:
    """The completion of an item and its milliseconds."""
    job = FillJob(id=number, document=item.path, path=item.path, prefix=item.prefix, suffix=item.suffix, max_lines=1)
    start = time.perf_counter()
    completion = finish(filler.fill(job))
    return completion, 1000 * (time.perf_counter() - start)


def parses(text: str) -> bool:
    """Whether a file is Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def judge(item: Item, completion: Completion, took: float) -> dict[str, float]:
    """Figures of one fill."""
    best = completion.candidates[0]
    text = best.text.rstrip()
    echo = item.suffix.strip().split("\n")[0].strip()
    return {
        "exact": float(text == item.rest.rstrip()),
        "similarity": difflib.SequenceMatcher(None, text, item.rest.rstrip(), autojunk=False).ratio(),
        "parses": float(parses(item.prefix + best.text + item.suffix)),
        "echo": float(len(echo) > 3 and echo in text),
        "passes": float(best.passes),
        "ms": took,
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=builtin_folder())
    parser.add_argument("--site", type=Path, required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, help="print so many fills")
    options = parser.parse_args()
    torch.set_num_threads(2)
    filler = Filler(Model.load(options.model, dtype="float32"))
    sums: dict[str, list[dict[str, float]]] = defaultdict(list)
    for number, item in enumerate(sample(options.site, options.n, options.seed)):
        completion, took = fill(filler, number, item)
        figures = judge(item, completion, took)
        sums["all"].append(figures)
        sums[next(name for name, low, high in LENGTHS if low <= len(item.rest) <= high)].append(figures)
        if number % max(1, options.n // max(1, options.show)) == 0 and options.show:
            print(repr(item.prefix[-40:]), "|", repr(completion.candidates[0].text), "|", repr(item.rest))
    for name, rows in sums.items():
        means = {key: round(sum(row[key] for row in rows) / len(rows), 4) for key in rows[0]}
        print(json.dumps({"rest": name, "n": len(rows)} | means))
    if options.corpus:
        print(json.dumps(losses(options.model, options.corpus)))


def losses(model: Path, corpus: Path) -> dict[str, float]:
    """Held-out losses, of the files that train.py keeps apart."""
    from train import HELD_EVERY  # noqa: PLC0415  not needed for fills

    from dg_engine.training.build import batch_maker  # noqa: PLC0415
    from dg_engine.training.corpus import Corpus  # noqa: PLC0415
    from dg_engine.training.folder import load_network  # noqa: PLC0415
    from dg_engine.training.loop import hold  # noqa: PLC0415
    from dg_engine.training.mix import Mix  # noqa: PLC0415

    network = load_network(model)
    _, apart = Corpus.read(corpus).split(HELD_EVERY)
    return hold(network, batch_maker(apart, model, network.config.vocabulary, Mix(), seed=1, scale=0.5))


if __name__ == "__main__":
    main()
