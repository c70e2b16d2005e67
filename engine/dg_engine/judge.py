"""How likely a candidate is what the user would have written: a logistic score of what is known about it, fitted for each checkpoint.

It orders the candidates of a job, drafts and guesses alike, and is what the threshold for showing is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from dg_engine.messages import Guess

JUDGE_FILE = "judge.json"
"""Its name in a model folder."""

FEATURES = ("constant", "mean", "least", "length", "match", "share", "meets", "changed", "agreed")
"""Mean and least log probability of the tokens, log of their number; of a guess: log of the words that matched, share of the places that
went on so, whether it meets what follows, whether the loop changed it; whether a candidate of the other kind says the same."""

_LEAST_LOG = -7.0


@dataclass(frozen=True, kw_only=True)
class JudgeWeights:
    """Weights of the features, in their order, for drafts and for guesses."""

    draft: tuple[float, ...]
    guess: tuple[float, ...]

    @classmethod
    def read(cls, content: bytes) -> JudgeWeights:
        """From the file that `dg-lsp calibrate` writes beside the weights. Raises ValueError when it is none."""
        held = msgspec.json.decode(content, type=_File)
        if held.features != list(FEATURES) or not len(held.draft) == len(held.guess) == len(FEATURES):
            raise ValueError("made for other features; run `dg-lsp calibrate` again")
        return cls(draft=tuple(held.draft), guess=tuple(held.guess))

    def write(self) -> bytes:
        """The file's content."""
        held = _File(features=list(FEATURES), draft=list(self.draft), guess=list(self.guess))
        return msgspec.json.format(msgspec.json.encode(held), indent=1) + b"\n"


class _File(msgspec.Struct):
    features: list[str]
    draft: list[float]
    guess: list[float]


@dataclass(frozen=True)
class Judged:
    """What is known about a candidate once the loop has ended."""

    text: str
    probabilities: Sequence[float]
    """Of the tokens of its text, and of the end mark if it has one."""
    guess: Guess | None = None
    """What it began from."""


def features(one: Judged, others: Sequence[Judged]) -> list[float]:
    """The features of a candidate among the others of its job."""
    logs = [max(_LEAST_LOG, math.log(max(p, 1e-9))) for p in one.probabilities] or [0.0]
    guess = one.guess
    agreed = any(other.text == one.text and (other.guess is None) != (guess is None) for other in others)
    return [
        1.0,
        sum(logs) / len(logs),
        min(logs),
        math.log(1 + len(logs)),
        math.log(1 + guess.match_length) if guess else 0.0,
        guess.count / max(1, guess.of) if guess else 0.0,
        float(guess.meets) if guess else 0.0,
        float(guess.text.rstrip() != one.text.rstrip()) if guess else 0.0,
        float(agreed),
    ]


def score(weights: JudgeWeights, one: Judged, others: Sequence[Judged]) -> float:
    """Probability from 0 to 1 that the candidate is exactly right."""
    chosen = weights.guess if one.guess else weights.draft
    total = sum(weight * value for weight, value in zip(chosen, features(one, others), strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
