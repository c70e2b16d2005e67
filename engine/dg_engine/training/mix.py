"""What training examples are made of: shapes and shares, in one place."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shape:
    """Canvases of one batch: open rows, pinned rows, and how many fit in a step."""

    hole: int
    pins: int
    share: float
    canvases: int

    @property
    def is_line(self) -> bool:
        """Whether holes of this size are for the rest of one line."""
        return self.hole <= 16  # noqa: PLR2004  the widest hole that a single line is given


SHAPES = (
    Shape(12, 12, 0.22, 128),
    Shape(12, 24, 0.10, 96),
    Shape(16, 16, 0.12, 96),
    Shape(16, 32, 0.10, 64),
    Shape(12, 1, 0.05, 160),
    Shape(16, 4, 0.04, 128),
    Shape(24, 24, 0.06, 64),
    Shape(32, 32, 0.08, 48),
    Shape(48, 48, 0.19, 32),
    Shape(48, 1, 0.04, 64),
)

WINDOWS = ((128, 24, 0.15), (256, 14, 0.38), (384, 10, 0.33), (768, 5, 0.14))
"""Prefix windows: tokens, how many in a step, share. Cuts lie anywhere in a window, so that prefixes have every length up to it."""


@dataclass(frozen=True)
class Mix:
    """Shares of what an example may be."""

    shapes: tuple[Shape, ...] = SHAPES
    windows: tuple[tuple[int, int, float], ...] = WINDOWS
    neighbours: float = 0.15
    """Windows that begin with a part of another file."""
    echo: float = 0.1
    """Windows that begin with a part of themselves, as if another file held it: copying pays there."""
    drills: tuple[float, float, int] = (0.6, 0.15, 1200)
    """Windows that are drills: share at first, share later, and the step by which the first has become the second."""
    renamed: float = 0.25
    """Windows some of whose names are exchanged throughout for another file's: known by heart, they are of no use."""
    file_start: float = 0.2
    """Windows that begin where their file does."""
    word_end: float = 0.5
    """Cuts moved to the end of the word they fell in."""
    copy_only: float = 0.5
    """Cuts taken only if a name of the hole stands in the prefix already."""
    prose: float = 0.2
    """Cuts inside docstrings and comments that are taken."""
    guess: float = 0.4
    """Holes that begin with what followed the same tokens elsewhere, where there is such a place."""
    repair: float = 0.1
    """Holes that begin with their own text, damaged."""
    second: float = 0.35
    """Steps that are a later pass, conditioned on an earlier one of the model's own."""
    third: float = 0.3
    """Of those, how many follow two passes."""
    no_belief: float = 0.15
    """Canvases of a first pass whose pins have no belief either."""
    all_masked: float = 0.45
    """Holes that begin as inference's do, without any token known."""
    temperatures: tuple[float, float] = (0.4, 0.1)
    """The schedule's ends."""
    causal: float = 0.5
    """Weight of the causal loss beside the denoising one."""
    causal_rows: float = 0.5
    """Places of a window that the causal loss looks at."""
    bound: float = 0.3
    """Entropy bound of acceptance, in nats."""
    ids: dict[str, int] = field(default_factory=lambda: {"pad": 0, "eos": 1, "bos": 2, "unknown": 3, "file": 4, "mask": 5})

    def drill(self, step: int) -> float:
        """Share of drills at a step."""
        first, later, by = self.drills
        return later + (first - later) * max(0.0, 1 - step / by)
