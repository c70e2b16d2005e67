"""What training feeds is what inference would be fed from the same text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

import dg_engine
from dg_engine.text.heal import heal
from dg_engine.text.tokenizer import TextTokenizer
from dg_engine.training.batches import BatchMaker
from dg_engine.training.build import batch_maker
from dg_engine.training.corpus import Corpus
from dg_engine.training.cuts import Cutter
from dg_engine.training.mix import Mix, Shape
from dg_engine.training.windows import WindowMaker

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The engine's own files."""
    root = Path(dg_engine.__file__).parent
    files = sorted(root.rglob("*.py"))
    return Corpus.of([file.read_text() for file in files], [f"dg_engine/{file.relative_to(root).as_posix()}" for file in files])


@pytest.fixture(scope="module")
def library(starter_folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(starter_folder / "tokenizer.json"))
    tokenizer.encode_special_tokens = True
    return tokenizer


def maker(corpus: Corpus, folder: Path, mix: Mix | None = None) -> BatchMaker:
    return batch_maker(corpus, folder, 4096, mix or Mix(), seed=3, scale=0.25)


@pytest.mark.parametrize("shape", [Shape(12, 12, 1, 1), Shape(48, 48, 1, 1), Shape(12, 1, 1, 1)])
def test_cuts_are_what_healing_leaves(
    corpus: Corpus, library: Tokenizer, starter_tokenizer: TextTokenizer, shape: Shape
) -> None:
    mix, vocabulary = Mix(), starter_tokenizer.vocabulary
    windows, cutter = WindowMaker(corpus, library, mix), Cutter(library, vocabulary, mix)
    rng, seen, partial = np.random.default_rng(0), 0, 0
    for _ in range(12):
        window = windows(192, rng)
        for _ in range(6):
            cut = cutter(window, shape, rng)
            if cut is None:
                continue
            seen += 1
            own = window.ids[window.head : cut.length]
            prefix, hole = starter_tokenizer.bytes(own), starter_tokenizer.bytes(cut.hole)
            assert window.text.encode().startswith(prefix + hole)
            assert len(cut.hole) <= shape.hole
            assert len(cut.pins) == shape.pins
            assert not cut.allowed or cut.hole[0] in cut.allowed
            if cut.allowed:  # some text after the kept ids heals to exactly these ids and this choice
                text = (prefix + hole).decode(errors="ignore")
                typed = [
                    heal(starter_tokenizer.encode(text[:end]), vocabulary) for end in range(len(prefix.decode()), len(text) + 1)
                ]
                partial += (own, cut.allowed) in [(healed.kept, healed.allowed) for healed in typed]
    assert seen > 40
    assert partial > 10


def test_neighbours_stand_before_the_file_as_the_engine_sends_them(corpus: Corpus, library: Tokenizer) -> None:
    window = WindowMaker(corpus, library, Mix(neighbours=1.0))(256, np.random.default_rng(1))
    bos, file = 2, 4
    head = window.ids[: window.head]
    assert head[:2] == [bos, file]
    second = head.index(file, 2)
    assert library.decode(head[2:second]).split("\n")[0] in corpus.paths
    own = library.decode(head[second + 1 :])
    assert own.endswith("\n")
    assert own.strip() in corpus.paths


def test_a_batch_depends_on_seed_and_step_alone(corpus: Corpus, starter_folder: Path) -> None:
    one, two = maker(corpus, starter_folder), maker(corpus, starter_folder)
    one(0)
    first, again, other = one(7), two(7), two(8)
    assert all(torch.equal(a, b) for a, b in zip(vars(first).values(), vars(again).values(), strict=True) if torch.is_tensor(a))
    assert first.seed == again.seed != other.seed


def test_pins_are_never_open_unless_masked_and_pads_end_holes(corpus: Corpus, starter_folder: Path) -> None:
    make, kinds = maker(corpus, starter_folder), set()
    for step in range(24):
        batch = make(step)
        shown = batch.given == batch.target
        assert bool((shown | batch.is_open).all())
        assert bool(batch.is_open[:, : batch.hole].all())
        assert bool((batch.given[batch.fresh][:, : batch.hole] == make.mix.ids["mask"]).all())
        assert int(batch.lengths.max()) <= batch.windows.shape[1]
        hole = batch.target[:, : batch.hole]
        for row in hole.tolist():
            assert all(after == 0 for before, after in pairwise(row) if before == 0)
        kinds |= {"guess"} if batch.guessed.any() else set()
        kinds |= {"fresh"} if batch.fresh.any() else set()
        kinds |= {"padded"} if (hole == 0).any() else set()
    assert kinds == {"guess", "fresh", "padded"}
