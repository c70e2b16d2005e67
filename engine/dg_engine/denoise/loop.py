"""The denoising loop: a generator that yields what every candidate's hole holds after each pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from dg_engine.backbone.base import Backbone
from dg_engine.denoise.accept import accept, acceptance_floor
from dg_engine.denoise.canvas import Canvas
from dg_engine.denoise.guess import Held
from dg_engine.denoise.noise import NoiseSource
from dg_engine.denoise.stop import StableAndConfident
from dg_engine.denoise.temperature import temperature
from dg_engine.errors import JobError
from dg_engine.messages import StopReason
from dg_engine.prefix.slot import Slot
from dg_engine.profiles.base import Profile
from dg_kernels.token_sampler import TokenSample, sample_tokens

DEADLINE_AFTER = 2
"""Passes that a deadline always grants: an answer after one is rarely worth showing."""


@dataclass(frozen=True)
class Row:
    """One candidate's hole after a pass."""

    ids: list[int]
    """The likeliest id of each open position [R]."""
    confidence: list[float]
    """Their probabilities at temperature 1 [R]."""
    stop: StopReason | None
    passes: int
    broken: bool = False
    """The model's output for it was not finite: it has stopped, and holds nothing."""


@dataclass(frozen=True)
class Pass:
    """What a pass left behind; `accepted` [B, R] and `entropy` [B, R] are for tests and studies."""

    number: int
    cap: int
    rows: list[Row]
    accepted: Tensor
    entropy: Tensor


@torch.inference_mode()
def denoise(
    backbone: Backbone,
    slots: Sequence[Slot],
    canvas: Canvas,
    profile: Profile,
    noise: NoiseSource,
    *,
    passes: int,
    end: Callable[[Sequence[int]], int] = len,
    deadline: float | None = None,
    start: Tensor | None = None,
    guesses: Sequence[Sequence[int]] = (),
) -> Iterator[Pass]:
    """Refine B = len(slots) candidates until all have stopped, in at most `passes` passes; yields a Pass each time.

    `end` says how many of a hole's ids make its text, the end mark included. `deadline` is in time.monotonic() seconds and counts
    only after two passes. `start` [B, R] replaces the noise that the holes begin with; the last candidates begin with the `guesses`
    [G, R]. Closing the generator is how a job is cancelled: nothing is computed after that. Raises JobError("not_finite").
    """
    state = _Loop(backbone, slots, canvas, profile, noise, passes=passes, end=end, start=start, guesses=guesses)
    for number in range(1, passes + 1):
        result = state.step(number)
        late = deadline is not None and number >= DEADLINE_AFTER and time.monotonic() >= deadline
        yield state.finish(result, late=late)
        if state.done or late:
            return


class _Loop:
    """The state between passes: canvas ids, beliefs, which candidates have stopped."""

    def __init__(
        self,
        backbone: Backbone,
        slots: Sequence[Slot],
        canvas: Canvas,
        profile: Profile,
        noise: NoiseSource,
        *,
        passes: int,
        end: Callable[[Sequence[int]], int],
        start: Tensor | None,
        guesses: Sequence[Sequence[int]],
    ) -> None:
        self.backbone, self.slots, self.canvas, self.profile, self.noise = backbone, slots, canvas, profile, noise
        self.passes, self.end = passes, end
        self.batch, self.open = len(slots), canvas.hole
        self.positions = torch.arange(canvas.hole, device=backbone.device)
        self.held = Held(guesses, self.batch, self.open, backbone.device)
        self.ids = self.held.start(start if start is not None else self._fresh(0))
        self.beliefs = torch.zeros(
            self.batch, canvas.length, backbone.hidden_size, device=backbone.device, dtype=backbone.dtype
        )
        self.pin_embeddings = backbone.embed(canvas.pins) if len(canvas.pins) else None
        stop = profile.stop
        self.tests = [StableAndConfident(stop.stability, stop.confidence) for _ in slots]
        for number, guess in enumerate(guesses):
            self.tests[self.held.first + number].expect(list(guess[: end(guess)]))
        self.rows: list[Row] = [Row([], [], None, 0) for _ in slots]

    @property
    def done(self) -> bool:
        return all(row.stop is not None or row.broken for row in self.rows)

    def step(self, number: int) -> Pass:
        """One pass over the candidates; those that have stopped keep what they hold."""
        self._believe_pins(number)
        sampler = self.profile.sampler
        heat = temperature(number, self.passes, sampler.first_temperature, sampler.last_temperature)
        sample = self._sample(number, heat)
        self._drop_broken(sample, number)
        entropy = sample.entropy.view(self.batch, self.open)
        accepted = accept(entropy, sampler.entropy_bound, self._floor(number))
        support = self._support(sample, heat)
        self.held.weigh(support)
        if number < self.passes:
            drawn = torch.where(accepted, sample.sampled.view(self.batch, self.open), self._fresh(number))
            self.ids = self.held.start(drawn)
            self.beliefs[:, : self.open] = self.backbone.expect(sample.probabilities).view(self.batch, self.open, -1)
        self._judge(sample, entropy, support, number)
        return Pass(number, self.passes, self.rows, accepted, entropy)

    def finish(self, result: Pass, *, late: bool) -> Pass:
        """Mark what ends with this pass for want of passes or time."""
        if late or result.number == result.cap:
            reason: StopReason = "cap" if result.number == result.cap else "deadline"
            self.rows = [row if row.stop or row.broken else replace(row, stop=reason) for row in self.rows]
        return Pass(result.number, result.cap, self.rows, result.accepted, result.entropy)

    def _drop_broken(self, sample: TokenSample, number: int) -> None:
        """A candidate whose output is not finite ends; its batch mates go on. Raises JobError when none is left."""
        finite = sample.finite.view(self.batch, self.open).all(dim=1).tolist()
        for b, row in enumerate(self.rows):
            if not finite[b] and row.stop is None:
                self.rows[b] = Row([], [], None, number, broken=True)
        if all(row.broken for row in self.rows):
            raise JobError("not_finite", "The model's output was not finite; the completion was dropped.")

    def _believe_pins(self, number: int) -> None:
        if self.pin_embeddings is None:
            return
        if self.profile.pin_belief == "onehot" and number >= self.profile.pin_belief_from:
            self.beliefs[:, self.open :] = self.pin_embeddings

    def _sample(self, number: int, heat: float) -> TokenSample:
        hidden = self.backbone.refine(self.canvas.filled(self.ids), self.beliefs, self.slots, self.open)
        logits = self.backbone.head(hidden.reshape(self.batch * self.open, -1))
        banned = self.canvas.banned
        if banned is not None and self.batch > 1:
            banned = banned.repeat(self.batch, 1)
        exponential = None
        if number < self.passes:  # the last pass commits what is likeliest: nothing is drawn
            exponential = self.noise.exponential(number, self.positions, self.backbone.vocabulary)
            exponential = exponential.view(self.batch * self.open, -1)
        return sample_tokens(
            logits,
            temperature=heat,
            exponential=exponential,
            softcap=self.backbone.softcap,
            banned=banned,
        )

    def _fresh(self, number: int) -> Tensor:
        """Noise for all open rows [B, R]."""
        if self.profile.noise == "absorbing":
            return torch.full((self.batch, self.open), self.profile.mask_id or 0, device=self.backbone.device)
        return self.noise.tokens(number, self.positions, self.backbone.vocabulary)

    def _floor(self, number: int) -> int:
        return acceptance_floor(self.open, self.passes - number + 1) if self.profile.sampler.acceptance_floor else 0

    def _support(self, sample: TokenSample, heat: float) -> Tensor:
        """Probability at temperature 1 of the tokens that are held [B, R]; what is not held has whatever it has."""
        if self.held.first == self.batch:  # no guesses, nothing held
            return sample.confidence.view(self.batch, self.open)
        chances = sample.probabilities.view(self.batch, self.open, -1)
        best = chances.gather(-1, sample.argmax.view(self.batch, self.open, 1)).squeeze(-1)
        held = chances.gather(-1, self.held.ids[..., None]).squeeze(-1)
        return (held / best).pow(heat) * sample.confidence.view(self.batch, self.open)

    def _judge(self, sample: TokenSample, entropy: Tensor, support: Tensor, number: int) -> None:
        """What each candidate says now: the likeliest ids, and a guess's own where they are held."""
        held = self.held.rows
        ids = torch.where(held, self.held.ids, sample.argmax.view(self.batch, self.open)).tolist()
        confidence = torch.where(held, support, sample.confidence.view(self.batch, self.open)).tolist()
        for b, row in enumerate(self.rows):
            if row.stop is not None or row.broken:
                continue
            stopped = self.tests[b](ids[b], entropy[b], self.end(ids[b]))
            self.rows[b] = Row(ids[b], confidence[b], "stable" if stopped else None, number)
