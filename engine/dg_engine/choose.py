"""From what the loop left behind to a job's candidates, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from dg_engine.denoise.guess import guess_ids
from dg_engine.denoise.loop import Pass, Row
from dg_engine.judge import Judged, score
from dg_engine.messages import Candidate, FillJob, Guess
from dg_engine.model import Model
from dg_engine.prefix.continuation import Continuation
from dg_engine.text.answer import HoleText
from dg_engine.text.heal import Healed

MOST_GUESSES = 8


@dataclass(frozen=True)
class Placed:
    """What a canvas begins from: the ids of its hole [R], and the guess of the job that they are, or the encoder's probabilities."""

    ids: list[int]
    text: str
    number: int | None = None
    guess: Guess | None = None
    before: Sequence[float] = ()


def placed(job: FillJob, healed: Healed, model: Model, hole: int) -> list[Placed]:
    """The job's guesses as ids; those whose tokens do not fit behind what healing gave back are left out, and equal ones are one."""
    found: dict[tuple[int, ...], Placed] = {}
    for number, guess in enumerate(job.guesses[:MOST_GUESSES]):
        ids = _ids(guess.text, healed, model, hole)
        if ids is not None:
            found.setdefault(tuple(ids), Placed(ids, guess.text, number, guess))
    return list(found.values())


def continued(job: FillJob, made: Continuation, healed: Healed, hole: HoleText, model: Model, *, width: int) -> list[Placed]:
    """The encoder's continuation as a start: without what stands behind the cursor already, which it could not know. None if blank."""
    text, _ = hole.text(made.ids, made.probabilities)
    following = job.suffix.split("\n", 1)[0].strip()
    if following and text.rstrip().endswith(following):
        text = text.rstrip()[: -len(following)]
    ids = _ids(text, healed, model, width) if text.strip() else None
    return [Placed(ids, text, before=made.probabilities)] if ids is not None else []


def _ids(text: str, healed: Healed, model: Model, width: int) -> list[int] | None:
    return guess_ids(text, healed, model.tokenizer, width, min(model.profile.end_marks))


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
        Judged(
            hole.text(row.ids, row.confidence)[0],
            row.confidence[: hole.end(row.ids)],
            guess=began.guess if began else None,
            began=began.text if began else None,
            before=began.before if began else (),
        )
        for row, began in rows
    ]
    if watch is not None:
        watch(judged)
    best: dict[str, Candidate] = {}
    for (row, began), one in zip(rows, judged, strict=True):
        made = _candidate(row, hole, began)
        if (weights := model.profile.judge) is not None:
            made = msgspec.structs.replace(made, score=round(score(weights, one, judged), 4))
        known = best.get(made.text)
        if known is None or _worth(made) > _worth(known):
            best[made.text] = made
    return sorted(best.values(), key=_worth, reverse=True)


def _candidate(row: Row, hole: HoleText, began: Placed | None) -> Candidate:
    text, confidence = hole.text(row.ids, row.confidence)
    return Candidate(
        text=text,
        confidence=confidence,
        passes=row.passes,
        stop=row.stop or "cap",
        guess=began.number if began else None,
        continued=began is not None and began.guess is None,
    )


def _worth(candidate: Candidate) -> float:
    """The judge's score; without a judge the mean probability."""
    if candidate.score is not None:
        return candidate.score
    spans = [span.probability for span in candidate.confidence]
    return sum(spans) / len(spans) if spans else 0.0
