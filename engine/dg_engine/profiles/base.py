"""What a checkpoint needs to be asked well: one immutable value, read by the loop and by the fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dg_engine.judge import JudgeWeights


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """How a canvas is refined. Temperatures scale logits; `entropy_bound` is in nats."""

    entropy_bound: float
    first_temperature: float
    last_temperature: float
    acceptance_floor: bool = False
    """Keep at least open rows / passes left in each pass: absorbing noise would run out of passes without it."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """When a hole is done early."""

    stability: int
    """Earlier passes that must say the same."""
    confidence: float
    """Mean entropy in nats, up to the end mark, that must be undercut."""


@dataclass(frozen=True, kw_only=True)
class HoleSize:
    """Open positions, pinned suffix tokens behind them at most, and the cap of passes."""

    hole: int
    pins: int
    passes: int


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A checkpoint family's needs. Ids are token ids."""

    name: str
    languages: tuple[str, ...]
    """LSP language ids it was trained for; empty: any."""
    max_context: int
    """Tokens of prefix it was trained for, the first id included."""
    start_ids: tuple[int, ...]
    """Ids before the document's text; never empty, since an empty prefix cannot be attended to."""
    end_of_file: int | None
    """Id pinned behind a suffix that reaches the end of the document."""
    end_marks: frozenset[int]
    """Ids that end the hole's text; the only control ids that an open row may hold."""
    noise: Literal["uniform", "absorbing"]
    mask_id: int | None = None
    """The id of absorbing noise."""
    pin_belief: Literal["onehot", "zero"] = "onehot"
    pin_belief_from: int = 1
    """First pass with that belief at pins; earlier ones have none."""
    sampler: Sampler
    stop: Stop
    line: HoleSize
    block: HoleSize
    continues: int = 0
    """Tokens that the encoder may continue a prefix by, where a job asks for that; 0: never, one such token costs a whole pass."""
    judge: JudgeWeights | None = None
    """How candidates are ordered, and how sure of one to be; None: by mean probability."""
