"""Fitting the judge: logistic regression on candidates whose truth is known, with the figures that say how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from dg_engine.judge import FEATURES, Judged, JudgeWeights, Kind, features

_PENALTY = 0.02
"""Of squared weights: some features hardly vary on small sets."""
_STEPS = 200


@dataclass(frozen=True)
class Example:
    """All candidates of one job, and the right text."""

    candidates: Sequence[Judged]
    truth: str


@dataclass(frozen=True)
class Bin:
    """Candidates with scores in one tenth: how many, their mean score, how many were right."""

    count: int
    score: float
    right: float


def fit(examples: Sequence[Example]) -> JudgeWeights:
    """Weights for each kind of candidate. Raises ValueError where too few of a kind are right."""
    kinds: tuple[Kind, ...] = ("draft", "guess", "continued")
    return JudgeWeights(**{kind: _fit(examples, kind) for kind in kinds})


def reliability(scores: Sequence[float], right: Sequence[bool]) -> list[Bin]:
    """Tenths of the scores, empty ones left out."""
    bins = []
    for tenth in range(10):
        held = [i for i, score in enumerate(scores) if tenth == min(9, int(score * 10))]
        if held:
            bins.append(Bin(len(held), sum(scores[i] for i in held) / len(held), sum(right[i] for i in held) / len(held)))
    return bins


def is_right(candidate: Judged, truth: str) -> bool:
    """Equal up to blanks at the end."""
    return candidate.text.rstrip() == truth.rstrip()


def _fit(examples: Sequence[Example], kind: Kind) -> tuple[float, ...]:
    pairs = [
        (features(one, job.candidates), is_right(one, job.truth))
        for job in examples
        for one in job.candidates
        if one.kind == kind
    ]
    right = sum(truth for _, truth in pairs)
    if not pairs:  # such candidates were not made: none will be judged
        return (0.0,) * len(FEATURES)
    if not 0 < right < len(pairs):
        raise ValueError(f"of {len(pairs)} candidates of kind `{kind}` {right} are right: too few to learn from")
    inputs, truth = torch.tensor([values for values, _ in pairs]), torch.tensor([float(one) for _, one in pairs])
    return tuple(round(weight, 4) for weight in _logistic(inputs, truth).tolist())


def _logistic(inputs: Tensor, truth: Tensor) -> Tensor:
    """Weights [F] from features [N, F] and truths [N]; features are scaled for the penalty's sake, the first one is the constant."""
    scale = inputs.std(dim=0).clamp_min(1e-3)
    scale[0] = 1.0
    weights = torch.zeros(len(FEATURES), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        found = torch.nn.functional.binary_cross_entropy_with_logits((inputs / scale) @ weights, truth)
        total = found + _PENALTY * weights[1:].square().mean()
        total.backward()
        return total

    optimizer.step(loss)
    return (weights / scale).detach()
