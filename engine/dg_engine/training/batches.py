"""Batches: encoder windows, canvases cut from them, what their holes begin with. A batch depends on seed and step alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from dg_engine.training.cuts import Cut, Cutter
from dg_engine.training.damage import Damager
from dg_engine.training.mix import Mix, Shape
from dg_engine.training.windows import WindowMaker


@dataclass(frozen=True)
class Batch:
    """n windows of P ids, m canvases of C ids of which the first R are the hole."""

    windows: Tensor
    """Ids [n, P], pads behind a file's end."""
    owner: Tensor
    """Window of each canvas [m]."""
    lengths: Tensor
    """Ids of its window that a canvas stands behind [m]."""
    target: Tensor
    """True ids [m, C]: the hole, filled up with pads, then pins."""
    given: Tensor
    """Ids that the pass sees [m, C]."""
    is_open: Tensor
    """Rows that are the model's to fill [m, C]."""
    guessed: Tensor
    """Canvases that begin from visible text, right or wrong [m]."""
    fresh: Tensor
    """Canvases whose hole is nothing but masks: what inference begins with [m]."""
    first_allowed: Tensor
    """What a hole's first id may be [m, V]."""
    hole: int
    seed: int

    @property
    def tokens(self) -> int:
        """Ids that a step runs through the network with gradients."""
        return self.windows.numel() + self.target.numel()


class BatchMaker:
    """Makes the batch of any step."""

    def __init__(
        self, windows: WindowMaker, cutter: Cutter, damager: Damager, mix: Mix, *, seed: int, scale: float = 1.0
    ) -> None:
        """`scale` multiplies how many windows and canvases a batch holds."""
        self.windows, self.cutter, self.damager, self.mix = windows, cutter, damager, mix
        self.seed, self.scale = seed, scale

    def __call__(self, step: int) -> Batch:
        """The batch of a step, the same each time it is asked for."""
        rng = np.random.default_rng([self.seed, step])
        shape = self.mix.shapes[_draw(rng, [s.share for s in self.mix.shapes])]
        size, count, _ = self.mix.windows[_draw(rng, [share for *_, share in self.mix.windows])]
        count, canvases = max(1, round(count * self.scale)), max(1, round(shape.canvases * self.scale))
        made = [self.windows(size, rng, step) for _ in range(count)]
        cuts: list[tuple[int, Cut]] = []
        for number, window in enumerate(made):
            for _ in range((canvases + count - 1) // count):
                cut = self.cutter(window, shape, rng)
                if cut is not None and len(cuts) < canvases:
                    cuts.append((number, cut))
        if not cuts:
            return self(step + (1 << 40))  # windows of nothing but prose: another batch in their place, as repeatable
        ids = np.full((count, size), self.mix.ids["pad"], np.int64)
        for number, window in enumerate(made):
            ids[number, : len(window.ids)] = window.ids
        return self._assemble(ids, cuts, shape, rng)

    def _assemble(self, windows: np.ndarray, cuts: list[tuple[int, Cut]], shape: Shape, rng: Generator) -> Batch:
        hole, width = shape.hole, shape.hole + shape.pins
        target = np.full((len(cuts), width), self.mix.ids["pad"], np.int64)
        given = target.copy()
        is_open = np.zeros((len(cuts), width), bool)
        is_open[:, :hole] = True
        guessed, fresh = np.zeros(len(cuts), bool), np.zeros(len(cuts), bool)
        allowed = np.ones((len(cuts), len(self.cutter.vocabulary)), bool)
        for row, (_, cut) in enumerate(cuts):
            target[row, : len(cut.hole)] = cut.hole
            target[row, hole:] = cut.pins
            begin, guessed[row], fresh[row] = self._begin(cut, target[row, :hole], rng)
            given[row], given[row, :hole] = target[row], begin
            if cut.allowed:
                allowed[row] = False
                allowed[row, cut.allowed] = True
            if shape.pins > hole - 1 > 16 and rng.random() < 0.3:  # noqa: PLR2004  more to learn from wide canvases
                self._open_more(is_open[row], given[row], hole, rng)
        allowed[np.arange(len(cuts)), target[:, 0]] = True
        return Batch(
            windows=torch.from_numpy(windows),
            owner=torch.tensor([number for number, _ in cuts]),
            lengths=torch.tensor([cut.length for _, cut in cuts]),
            target=torch.from_numpy(target),
            given=torch.from_numpy(given),
            is_open=torch.from_numpy(is_open),
            guessed=torch.from_numpy(guessed),
            fresh=torch.from_numpy(fresh),
            first_allowed=torch.from_numpy(allowed),
            hole=hole,
            seed=int(rng.integers(1 << 31)),
        )

    def _begin(self, cut: Cut, hole: np.ndarray, rng: Generator) -> tuple[np.ndarray, bool, bool]:
        """What a hole [R] begins with, whether that is text to be judged, and whether it is all masks."""
        mask = self.mix.ids["mask"]
        if cut.guess:
            begin = np.full_like(hole, self.mix.ids["pad"])
            begin[: len(cut.guess)] = cut.guess[: len(hole)]
            again = rng.random(len(hole)) < (rng.random() * 0.6 if rng.random() < 0.5 else 0)  # noqa: PLR2004  a share
            return np.where(again, mask, begin), True, False
        if rng.random() < self.mix.repair:
            return self.damager(hole, cut, rng), True, False
        if rng.random() < self.mix.all_masked:
            return np.full_like(hole, mask), False, True
        return self._partly(hole, rng), False, False

    def _partly(self, hole: np.ndarray, rng: Generator) -> np.ndarray:
        """Some rows known: at random, or from the left, which is how holes mostly fill."""
        mask = self.mix.ids["mask"]
        share = rng.random()
        hidden = rng.random(len(hole)) < share
        if rng.random() < 0.7:  # noqa: PLR2004  a share
            hidden = np.arange(len(hole)) >= int((1 - share) * (np.count_nonzero(hole) + 1))
        return np.where(hidden, mask, hole)

    def _open_more(self, is_open: np.ndarray, given: np.ndarray, hole: int, rng: Generator) -> None:
        """Open further spans behind the hole, in place."""
        for _ in range(int(rng.integers(1, 3))):
            first = int(rng.integers(hole + 4, len(given)))
            span = slice(first, first + int(rng.integers(1, 8)))
            is_open[span], given[span] = True, self.mix.ids["mask"]


def _draw(rng: Generator, shares: list[float]) -> int:
    """A number, as likely as its share."""
    edges = np.cumsum(shares)
    return min(int(np.searchsorted(edges / edges[-1], rng.random())), len(shares) - 1)
