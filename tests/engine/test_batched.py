"""Candidates of one job share a pass: each is what it would have been alone, and one that breaks takes nobody along."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from dg_bench.items import items
from dg_engine.backbone.base import Backbone
from dg_engine.fill import Filler
from dg_engine.messages import Completion, FillJob
from dg_engine.model import Model

FILLS = 200


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load(None, backbone="own", device="cpu", dtype="float32")


def last_drafts(filler: Filler, job: FillJob) -> tuple[Completion, dict[int, str]]:
    """The completion, and the last draft of each candidate."""
    drafts: dict[int, str] = {}
    steps = filler.fill(job)
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value, drafts
        for draft in step if isinstance(step, list) else ():
            drafts[draft.candidate] = draft.text


@pytest.mark.slow
def test_a_candidate_is_the_same_alone_and_in_a_batch(model: Model) -> None:
    filler, different = Filler(model), 0
    for seed, item in enumerate(items(FILLS, 11)):
        job = FillJob(id=1, document=item.name, prefix=item.prefix, suffix=item.suffix, seed=seed, drafts=True)
        filler.slots.clear()
        alone, _ = last_drafts(filler, job)
        filler.slots.clear()
        _, batched = last_drafts(filler, replace_candidates(job, 3))
        assert alone.candidates[0].text == batched[0], item.name
        different += len(set(batched.values())) > 1
    assert different > FILLS // 10  # three candidates are not three times the same


def replace_candidates(job: FillJob, count: int) -> FillJob:
    """The same job with so many candidates."""
    return FillJob(
        id=1, document=job.document, prefix=job.prefix, suffix=job.suffix, seed=job.seed, candidates=count, drafts=True
    )


class BreaksOne:
    """A backbone whose head gives NaN for the rows of one candidate, from a pass on."""

    def __init__(self, backbone: Backbone, candidates: int, broken: int, after: int) -> None:
        self._backbone, self._candidates, self._broken, self._left = backbone, candidates, broken, after

    def __getattr__(self, name: str) -> object:
        return getattr(self._backbone, name)

    def head(self, rows: Tensor) -> Tensor:
        """[R, H] → [R, V]."""
        logits = self._backbone.head(rows)
        self._left -= 1
        if self._left < 0:
            logits.view(self._candidates, -1, logits.shape[-1])[self._broken] = torch.nan
        return logits


@pytest.mark.parametrize(("broken", "after"), [(0, 0), (1, 0), (2, 2)])
def test_a_broken_candidate_takes_nobody_along(model: Model, broken: int, after: int) -> None:
    job = FillJob(
        id=1, document="d", prefix="def area(self):\n    return self.", suffix="\n", seed=3, candidates=3, drafts=True
    )
    _, sound = last_drafts(Filler(model), job)
    breaking = BreaksOne(model.backbone, 3, broken, after)
    completion, drafts = last_drafts(Filler(replace(model, backbone=breaking)), job)  # type: ignore[arg-type]
    others = {sound[number] for number in range(3) if number != broken}
    assert {candidate.text for candidate in completion.candidates} == others
    assert all(drafts[number] == sound[number] for number in range(3) if number != broken)
