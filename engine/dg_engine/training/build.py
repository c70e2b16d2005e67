"""From a corpus and a model folder to what makes batches."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from dg_engine.text.tokenizer import TextTokenizer
from dg_engine.training.batches import BatchMaker
from dg_engine.training.corpus import Corpus
from dg_engine.training.cuts import Cutter
from dg_engine.training.damage import Damager
from dg_engine.training.mix import Mix
from dg_engine.training.windows import WindowMaker


def batch_maker(corpus: Corpus, folder: Path, vocabulary_size: int, mix: Mix, *, seed: int, scale: float = 1.0) -> BatchMaker:
    """A maker of batches with the folder's tokenizer. Raises ModelError."""
    file = folder / "tokenizer.json"
    vocabulary = TextTokenizer.open(file, vocabulary_size).vocabulary
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.encode_special_tokens = True  # what stands in a document never becomes a control id
    windows, cutter = WindowMaker(corpus, tokenizer, mix), Cutter(tokenizer, vocabulary, mix)
    return BatchMaker(windows, cutter, Damager(vocabulary, mix.ids["pad"]), mix, seed=seed, scale=scale)
