"""How likely a candidate is what the user would have written: a logistic score of what is known about it, fitted for each checkpoint.

It orders the candidates of a job, drafts and guesses alike, and is what the threshold for showing is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from dg_engine.messages import Guess

JUDGE_FILE = "judge.json"
"""Its name in a model folder."""

FEATURES = ("constant", "mean", "least", "length", "match", "share", "meets", "changed", "agreed", "before")
"""Mean and least log probability of the tokens, log of their number; of a guess: log of the words that matched, share of the places that
went on so, whether it meets what follows; whether the loop changed what it began from; whether a candidate of another kind says the same;
mean log probability that the encoder gave what it began from."""

Kind = Literal["draft", "guess", "continued"]

_LEAST_LOG = -7.0


@dataclass(frozen=True, kw_only=True)
class JudgeWeights:
    """Weights of the features, in their order, for drafts and for guesses."""

    draft: tuple[float, ...]
    guess: tuple[float, ...]
    continued: tuple[float, ...]

    @classmethod
    def read(cls, content: bytes) -> JudgeWeights:
        """From the file that `dg-lsp calibrate` writes beside the weights. Raises ValueError when it is none."""
        held = msgspec.json.decode(content, type=_File)
        weights = (held.draft, held.guess, held.continued)
        if held.features != list(FEATURES) or any(len(some) != len(FEATURES) for some in weights):
            raise ValueError("made for other features; run `dg-lsp calibrate` again")
        return cls(draft=tuple(held.draft), guess=tuple(held.guess), continued=tuple(held.continued))

    def write(self) -> bytes:
        """The file's content."""
        held = _File(features=list(FEATURES), draft=list(self.draft), guess=list(self.guess), continued=list(self.continued))
        return msgspec.json.format(msgspec.json.encode(held), indent=1) + b"\n"


class _File(msgspec.Struct):
    features: list[str]
    draft: list[float]
    guess: list[float]
    continued: list[float]


@dataclass(frozen=True)
class Judged:
    """What is known about a candidate once the loop has ended."""

    text: str
    probabilities: Sequence[float]
    """Of the tokens of its text, and of the end mark if it has one."""
    guess: Guess | None = None
    """What it began from."""
    began: str | None = None
    """The text that it began from, guess or continuation."""
    before: Sequence[float] = ()
    """Of a continuation: the encoder's probabilities."""

    @property
    def kind(self) -> Kind:
        """Where it comes from."""
        return "guess" if self.guess is not None else "continued" if self.began is not None else "draft"


def features(one: Judged, others: Sequence[Judged]) -> list[float]:
    """The features of a candidate among the others of its job."""
    logs, before = _logs(one.probabilities), _logs(one.before)
    guess = one.guess
    agreed = any(other.text.rstrip() == one.text.rstrip() and other.kind != one.kind for other in others)
    return [
        1.0,
        sum(logs) / len(logs),
        min(logs),
        math.log(1 + len(logs)),
        math.log(1 + guess.match_length) if guess else 0.0,
        guess.count / max(1, guess.of) if guess else 0.0,
        float(guess.meets) if guess else 0.0,
        float(one.began is not None and one.began.rstrip() != one.text.rstrip()),
        float(agreed),
        sum(before) / len(before),
    ]


def _logs(probabilities: Sequence[float]) -> list[float]:
    return [max(_LEAST_LOG, math.log(max(p, 1e-9))) for p in probabilities] or [0.0]


def score(weights: JudgeWeights, one: Judged, others: Sequence[Judged]) -> float:
    """Probability from 0 to 1 that the candidate is exactly right."""
    chosen: tuple[float, ...] = getattr(weights, one.kind)
    total = sum(weight * value for weight, value in zip(chosen, features(one, others), strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
