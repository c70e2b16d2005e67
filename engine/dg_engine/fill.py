"""A fill job from text to text: window, encoder, canvas, passes, answer. A generator, so that it can be stopped between any two steps."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable
from dataclasses import dataclass

import torch

from dg_engine.choose import Placed, Watch, candidates, continued, placed
from dg_engine.denoise.canvas import Canvas, make_canvas
from dg_engine.denoise.loop import Pass, denoise
from dg_engine.denoise.noise import CounterNoise
from dg_engine.messages import Completion, Draft, FillJob, Timings
from dg_engine.model import Model
from dg_engine.prefix.continuation import continue_prefix
from dg_engine.prefix.encode import Encoding, encode_prefix
from dg_engine.prefix.table import Entry, SlotTable
from dg_engine.prefix.window import choose_window
from dg_engine.profiles.base import HoleSize
from dg_engine.text.answer import HoleText
from dg_engine.text.heal import Healed, heal

MOST_CANDIDATES = 16
"""Of one job, whatever it asks for: each is a row of every pass."""

SLOT_BYTES = 512 * 1024 * 1024
"""Default budget for the KV of all documents."""

_PIN_CHARACTERS = 12
"""Characters of suffix tokenized for each pin: more than a token ever needs on average."""


@dataclass
class _Clock:
    """Times of one job in time.monotonic() seconds."""

    start: float
    encoded: float = 0.0
    end: float = 0.0

    def timings(self, received: float | None) -> Timings:
        """In milliseconds; a job waits from when it was received."""
        return Timings(
            queue=_ms(self.start - (received or self.start)),
            encode=_ms(self.encoded - self.start),
            denoise=_ms(self.end - self.encoded),
        )


class Filler:
    """Runs fill jobs on one model, one at a time or interleaved between steps; keeps a slot for each document."""

    def __init__(self, model: Model, slot_bytes: int = SLOT_BYTES) -> None:
        self.model = model
        self.watch: Watch | None = None
        self.slots = SlotTable(model.backbone.new_slot, slot_bytes)
        vocabulary = model.tokenizer.vocabulary
        self._control = torch.zeros(len(vocabulary), dtype=torch.bool, device=model.backbone.device)
        self._control[[id_ for id_ in vocabulary.without_text() if id_ not in model.profile.end_marks]] = True

    @torch.inference_mode()
    def fill(
        self, job: FillJob, *, owner: Hashable = None, received: float | None = None
    ) -> Generator[list[Draft] | Encoding, None, Completion]:
        """Yields an Encoding after each chunk of prefix and a list after each pass (its Drafts, if the job wants them).

        Returns the Completion. `owner` and the job's document name the slot. `received` (time.monotonic() seconds) is what the
        deadline counts from. Closing the generator cancels the job; finished chunks stay in the slot. Raises JobError.
        """
        clock = _Clock(time.monotonic())
        entry = self.slots.take((owner, job.document))
        try:
            healed = self._prefix(job, entry)
            encoding = yield from encode_prefix(self.model.backbone, entry.slot, healed.kept)
            clock.encoded = time.monotonic()
            hole = HoleText(
                self.model.tokenizer.vocabulary, self.model.profile.end_marks, healed.dropped, max(1, job.max_lines)
            )
            canvas = self._canvas(job, healed)
            guesses = placed(job, healed, self.model, canvas.hole)
            guesses += yield from self._continued(job, entry, healed, hole, canvas)
            last = yield from self._passes(job, entry, canvas, hole, guesses, received=received or clock.start)
            clock.end = time.monotonic()
        finally:
            self.slots.give_back(entry)
        return Completion(
            id=job.id,
            candidates=candidates(last, hole, guesses, self.model, self.watch),
            timings=clock.timings(received),
            encoded=encoding.encoded,
            reused=encoding.reused,
            hole=canvas.hole,
            pins=len(canvas.pins),
        )

    def _prefix(self, job: FillJob, entry: Entry) -> Healed:
        """The ids before the hole, healed at the cursor; moves the document's anchor."""
        profile, tokenizer = self.model.profile, self.model.tokenizer
        budget = profile.max_context - len(profile.start_ids)
        window = choose_window(job.prefix, job.prefix_start, budget, tokenizer.encode, entry.anchor)
        entry.anchor = window.anchor
        healed = heal(window.ids, tokenizer.vocabulary)
        return Healed([*profile.start_ids, *healed.kept], healed.dropped, healed.allowed)

    def _size(self, job: FillJob) -> HoleSize:
        profile = self.model.profile
        return profile.line if job.max_lines <= 1 else profile.block

    def _canvas(self, job: FillJob, healed: Healed) -> Canvas:
        size = self._size(job)
        hole = min(job.max_tokens, size.hole + size.pins) if job.max_tokens > 0 else size.hole
        return make_canvas(
            hole,
            self._pins(job.suffix, size.pins),
            control=self._control,
            first_allowed=healed.allowed,
            device=self.model.backbone.device,
        )

    def _pins(self, suffix: str, most: int) -> list[int]:
        """The suffix's first ids, and the mark of the file's end where they reach it."""
        end_of_file = self.model.profile.end_of_file
        head = suffix[: most * _PIN_CHARACTERS]
        ids = self.model.tokenizer.encode(head)
        if len(head) == len(suffix) and end_of_file is not None:
            ids.append(end_of_file)
        return ids[:most]

    def _continued(
        self, job: FillJob, entry: Entry, healed: Healed, hole: HoleText, canvas: Canvas
    ) -> Generator[Encoding, None, list[Placed]]:
        """The encoder's own continuation, where the job asks for it and the checkpoint's is worth it."""
        most = min(self.model.profile.continues, canvas.hole)
        if not job.continuation or most == 0 or canvas.banned is None:
            return []
        made = yield from continue_prefix(self.model.backbone, entry.slot, canvas.banned, hole, most)
        return continued(job, made, healed, hole, self.model, width=canvas.hole)

    def _passes(
        self, job: FillJob, entry: Entry, canvas: Canvas, hole: HoleText, guesses: list[Placed], *, received: float
    ) -> Generator[list[Draft], None, Pass]:
        """The candidates that start from noise, then those that start from guesses, in one batch."""
        batch = max(1, min(job.candidates, MOST_CANDIDATES) - len(guesses)) + len(guesses)
        passes = denoise(
            self.model.backbone,
            [entry.slot] * batch,
            canvas,
            self.model.profile,
            CounterNoise(job.seed, batch, self.model.backbone.device),
            passes=self._size(job).passes,
            end=hole.end,
            deadline=None if job.deadline_ms is None else received + job.deadline_ms / 1000,
            guesses=[one.ids for one in guesses],
        )
        for last in passes:
            yield _drafts(job, last, hole) if job.drafts else []
            if _settled(last, len(guesses)):
                break
        return last


def _settled(result: Pass, guesses: int) -> bool:
    """Whether the model agrees with a guess and is sure of it: nothing better will come."""
    return any(row.stop == "stable" for row in result.rows[len(result.rows) - guesses :]) if guesses else False


def _drafts(job: FillJob, result: Pass, hole: HoleText) -> list[Draft]:
    """A Draft for each candidate that this pass has changed."""
    drafts = []
    for number, row in enumerate(result.rows):
        if row.passes == result.number and not row.broken:
            text, confidence = hole.text(row.ids, row.confidence)
            drafts.append(
                Draft(id=job.id, candidate=number, text=text, confidence=confidence, pass_=result.number, cap=result.cap)
            )
    return drafts


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
