"""Plausible faults in visible text, for Repair: swapped, dropped, doubled, misspelt tokens and similar names."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.random import Generator

from dg_engine.text.vocabulary import Vocabulary
from dg_engine.training.cuts import Cut


class Damager:
    """Damages holes."""

    def __init__(self, vocabulary: Vocabulary, pad: int) -> None:
        self._pad = pad
        self._texts = vocabulary.bytes
        alike: dict[bytes, list[int]] = defaultdict(list)
        for id_, text in enumerate(vocabulary.bytes):
            if text:
                alike[_kind(text)].append(id_)
        self._alike = dict(alike)

    def __call__(self, hole: np.ndarray, cut: Cut, rng: Generator) -> np.ndarray:
        """A hole [R] with one to three faults; now and then with none."""
        content = [int(id_) for id_ in hole[: len(cut.hole)]]
        for _ in range(int(rng.integers(0, 4))):
            if content:
                self._fault(content, int(rng.integers(len(content))), cut, rng)
        out = np.full_like(hole, self._pad)
        out[: len(content)] = content[: len(hole)]
        return out

    def _fault(self, content: list[int], at: int, cut: Cut, rng: Generator) -> None:
        kind = rng.random()
        if kind < 0.15:  # noqa: PLR2004  shares of the kinds
            del content[at]
        elif kind < 0.3:  # noqa: PLR2004
            content.insert(at, content[at])
        elif kind < 0.45 and at + 1 < len(content):  # noqa: PLR2004
            content[at], content[at + 1] = content[at + 1], content[at]
        elif kind < 0.6 and cut.pins:  # noqa: PLR2004
            content[at] = max(6, cut.pins[int(rng.integers(len(cut.pins)))])
        else:
            alike = self._alike.get(_kind(self._texts[content[at]]), [content[at]])
            content[at] = alike[int(rng.integers(len(alike)))]


def _kind(text: bytes) -> bytes:
    """Tokens of one kind may be taken for each other: the same first two letters, or the same sort of sign."""
    return text[:3] if text[:1] == b" " else text[:2]
