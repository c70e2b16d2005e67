"""From what the loop left behind to a job's candidates, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dg_engine.denoise.guess import guess_ids
from dg_engine.denoise.loop import Pass, Row
from dg_engine.judge import Judged, score
from dg_engine.messages import Candidate, FillJob, Guess
from dg_engine.model import Model
from dg_engine.text.answer import HoleText
from dg_engine.text.heal import Healed


@dataclass(frozen=True)
class Placed:
    """A guess of the job that fits its hole: its number, and its ids [R]."""

    number: int
    guess: Guess
    ids: list[int]


def placed(job: FillJob, healed: Healed, model: Model, hole: int) -> list[Placed]:
    """The job's guesses as ids; those whose tokens do not fit behind what healing gave back are left out, and equal ones are one."""
    mark = min(model.profile.end_marks)
    found: dict[tuple[int, ...], Placed] = {}
    for number, guess in enumerate(job.guesses):
        ids = guess_ids(guess.text, healed, model.tokenizer, hole, mark)
        if ids is not None:
            found.setdefault(tuple(ids), Placed(number, guess, ids))
    return list(found.values())


Watch = Callable[[Sequence[Judged]], None]
"""Is shown what each candidate of a job is judged by: what calibration is made from."""


def candidates(
    last: Pass, hole: HoleText, guesses: Sequence[Placed], model: Model, watch: Watch | None = None
) -> list[Candidate]:
    """All that are whole, equal texts once; the last rows are those that began from the guesses."""
    first = len(last.rows) - len(guesses)
    rows = [
        (row, guesses[number - first] if number >= first else None) for number, row in enumerate(last.rows) if not row.broken
    ]
    judged = [
        Judged(hole.text(row.ids, row.confidence)[0], row.confidence[: hole.end(row.ids)], began.guess if began else None)
        for row, began in rows
    ]
    if watch is not None:
        watch(judged)
    best: dict[str, Candidate] = {}
    for (row, began), one in zip(rows, judged, strict=True):
        made = _candidate(row, hole, began)
        if (weights := model.profile.judge) is not None:
            made = _scored(made, score(weights, one, judged))
        known = best.get(made.text)
        if known is None or _worth(made) > _worth(known):
            best[made.text] = made
    return sorted(best.values(), key=_worth, reverse=True)


def _candidate(row: Row, hole: HoleText, began: Placed | None) -> Candidate:
    text, confidence = hole.text(row.ids, row.confidence)
    guess = began.number if began else None
    return Candidate(text=text, confidence=confidence, passes=row.passes, stop=row.stop or "cap", guess=guess)


def _scored(candidate: Candidate, value: float) -> Candidate:
    return Candidate(
        text=candidate.text,
        confidence=candidate.confidence,
        passes=candidate.passes,
        stop=candidate.stop,
        guess=candidate.guess,
        score=round(value, 4),
    )


def _worth(candidate: Candidate) -> float:
    """The judge's score; without a judge the mean probability."""
    if candidate.score is not None:
        return candidate.score
    spans = [span.probability for span in candidate.confidence]
    return sum(spans) / len(spans) if spans else 0.0
