"""A corpus in memory: texts and their paths, as `starter_recipe/corpus.py` writes them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

_DOCSTRING = re.compile(r'"""[^"]*(?:"(?!"")[^"]*)*"""' + r"|'''[^']*(?:'(?!'')[^']*)*'''")


@dataclass(frozen=True)
class Corpus:
    """Texts, their paths, and how likely each is drawn."""

    texts: list[str]
    paths: list[str]
    cumulative: np.ndarray
    """Cumulative share of all characters [files]."""
    families: dict[str, list[int]]
    """Files by the first component of their path: neighbours come from the same one."""

    @classmethod
    def of(cls, texts: list[str], paths: list[str]) -> Corpus:
        """From texts and paths of equal number."""
        sizes = np.array([len(text) for text in texts], float)
        families: dict[str, list[int]] = {}
        for number, path in enumerate(paths):
            families.setdefault(path.split("/", 1)[0], []).append(number)
        return cls(texts, paths, np.cumsum(sizes / sizes.sum()), families)

    @classmethod
    def read(cls, folder: Path) -> Corpus:
        """From a folder with texts.npz and paths.json."""
        stored = np.load(folder / "texts.npz")
        data, ends = stored["data"].tobytes(), stored["ends"].tolist()
        texts = [data[i:j].decode() for i, j in zip([0, *ends[:-1]], ends, strict=True)]
        return cls.of(texts, json.loads((folder / "paths.json").read_text("utf-8")))

    def split(self, every: int) -> tuple[Corpus, Corpus]:
        """Two corpora: all files but each `every`-th, and those."""
        kept = [i for i in range(len(self.texts)) if i % every]
        apart = list(range(0, len(self.texts), every))
        first, second = (Corpus.of([self.texts[i] for i in part], [self.paths[i] for i in part]) for part in (kept, apart))
        return first, second

    def draw(self, rng: Generator) -> int:
        """A file, as likely as it is long."""
        return min(int(np.searchsorted(self.cumulative, rng.random())), len(self.texts) - 1)

    def neighbour(self, number: int, rng: Generator) -> int | None:
        """Another file of the same family, one of the closest two folders as often as there is one."""
        family = self.families[self.paths[number].split("/", 1)[0]]
        folder = self.paths[number].rsplit("/", 1)[0]
        near = [i for i in family if i != number and self.paths[i].rsplit("/", 1)[0] == folder]
        pool = near if near and rng.random() < 0.7 else [i for i in family if i != number]  # noqa: PLR2004  a share
        return pool[int(rng.integers(len(pool)))] if pool else None


def docstring_spans(text: str) -> list[tuple[int, int]]:
    """Where triple-quoted strings stand."""
    return [match.span() for match in _DOCSTRING.finditer(text)]
