"""The training loop: steps, schedule, progress, held-out loss, checkpoints, resume."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import torch

from dg_engine.training.batches import BatchMaker
from dg_engine.training.checkpoint import Place, restore, save
from dg_engine.training.losses import batch_loss
from dg_engine.training.network import Network
from dg_engine.training.optimizers import Optimizers

_LONGEST_STEP = 30.0
"""Seconds: what took longer was a process put to sleep, which is no training."""

Tell = Callable[[dict[str, float]], None]


@dataclass(frozen=True)
class Plan:
    """How long and how: the schedule goes by steps where they are given, else by minutes trained over all sessions."""

    minutes: float = 0.0
    steps: int = 0
    stop_after: int = 0
    """Leave after this step, in the middle of the schedule; 0: never."""
    warm_up: int = 40
    decay: float = 0.6
    """Share of the run in which the rates fall to zero."""
    autocast: bool = False
    """Matrix products in bf16: twice as fast on CPUs that have it, and as good (the weights stay fp32)."""
    tell_every: int = 50
    save_minutes: float = 4.0
    hold_minutes: float = 10.0

    def done(self, place: Place) -> float:
        """Share of the run that is over."""
        return place.step / self.steps if self.steps else place.seconds / (self.minutes * 60)

    def scale(self, place: Place) -> float:
        """Share of the peak rates for the next step."""
        warm = min(1.0, (place.step + 1) / self.warm_up)
        return warm * min(1.0, max(0.01, (1 - self.done(place)) / self.decay))


class Trainer:
    """A run: where it is, and what it trains."""

    def __init__(
        self,
        network: Network,
        optimizers: Optimizers,
        batches: BatchMaker,
        plan: Plan,
        checkpoint: Path,
        *,
        held_out: BatchMaker | None = None,
        tell: Tell = lambda _figures: None,
    ) -> None:
        """Goes on from the checkpoint where there is one."""
        self.network, self.optimizers, self.batches, self.plan = network, optimizers, batches, plan
        self.checkpoint, self.held_out, self.tell = checkpoint, held_out, tell
        self.place = Place(batches.seed)
        if checkpoint.exists():
            self.place = restore(checkpoint, network, optimizers)
            batches.seed = self.place.seed
        self.stopping = False
        """Set by a signal handler, say: the run saves and ends after the step it is in."""
        self._sums: dict[str, list[float]] = defaultdict(list)

    def run(self) -> Place:
        """Train until the plan is through; saves at the end too."""
        saved = told = held = time.monotonic()
        tokens = self.place.tokens
        while self.plan.done(self.place) < 1 and not self._leaves():
            start = time.monotonic()
            self.step()
            now = time.monotonic()
            self.place.seconds += min(now - start, _LONGEST_STEP)
            if self.place.step % self.plan.tell_every == 0:
                self._tell({"tokens_a_second": (self.place.tokens - tokens) / (now - told)})
                told, tokens = now, self.place.tokens
            if self.held_out is not None and now - held > self.plan.hold_minutes * 60:
                with self._precision():
                    self.tell({"step": self.place.step} | hold(self.network, self.held_out))
                held = time.monotonic()
            if now - saved > self.plan.save_minutes * 60:
                save(self.checkpoint, self.network, self.optimizers, self.place)
                saved = now
        save(self.checkpoint, self.network, self.optimizers, self.place)
        return self.place

    def _leaves(self) -> bool:
        return self.stopping or 0 < self.plan.stop_after <= self.place.step

    def step(self) -> None:
        """One step of training."""
        batch = self.batches(self.place.step)
        with self._precision():
            result = batch_loss(self.network, batch, self.batches.mix)
        result.loss.backward()
        norm = self.optimizers.step(self.plan.scale(self.place))
        self.place.step += 1
        self.place.tokens += batch.tokens
        for name, value in ({"norm": norm} | result.figures).items():
            self._sums[name].append(value)

    def _precision(self) -> AbstractContextManager[object]:
        return torch.autocast(self.network.device.type, torch.bfloat16, enabled=self.plan.autocast)

    def _tell(self, more: dict[str, float]) -> None:
        means = {name: sum(values) / len(values) for name, values in self._sums.items()}
        self._sums.clear()
        place = {"step": self.place.step, "minutes": self.place.seconds / 60, "million_tokens": self.place.tokens / 1e6}
        self.tell(place | more | {"rate": self.plan.scale(self.place)} | means)


def hold(network: Network, batches: BatchMaker, count: int = 16) -> dict[str, float]:
    """Mean figures over the first batches of files that are not trained on."""
    sums: dict[str, list[float]] = defaultdict(list)
    with torch.no_grad():
        for number in range(count):
            for name, value in batch_loss(network, batches(number), batches.mix).figures.items():
                sums[f"held_{name}"].append(value)
    return {name: sum(values) / len(values) for name, values in sums.items()}
