"""Our loop against transformers' `generate`: the same draws give the same canvas, on the reference bit for bit, on ours id for id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from dg_engine.backbone.base import Backbone
from dg_engine.denoise.accept import accept
from dg_engine.denoise.canvas import make_canvas
from dg_engine.denoise.loop import Pass, denoise
from dg_engine.denoise.stop import StableAndConfident
from dg_engine.denoise.temperature import temperature
from dg_engine.prefix.encode import encode_prefix
from dg_engine.profiles.base import Profile, Sampler, Stop
from dg_engine.profiles.starter import STARTER
from dg_engine.steps import finish

pytestmark = pytest.mark.parity

CANVAS, STEPS = 24, 6
UNIFORM = replace(
    STARTER,
    noise="uniform",
    mask_id=None,
    sampler=Sampler(entropy_bound=0.3, first_temperature=0.8, last_temperature=0.45),
    stop=Stop(stability=1, confidence=0.3),
)


class TransformersNoise:
    """Draws from torch's global generator in the order and shapes that `generate` uses."""

    def tokens(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:
        return torch.randint(0, vocabulary, (1, len(positions)))

    def exponential(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:
        return torch.empty(len(positions), vocabulary).exponential_()[None]


class Recording:
    """A backbone that also keeps the logits of every pass."""

    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone
        self.logits: list[Tensor] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backbone, name)

    def head(self, rows: Tensor) -> Tensor:
        logits = self._backbone.head(rows)
        self.logits.append(logits)
        return logits


class LogitStreamer:
    """Keeps the processed logits that `generate` hands out after each step."""

    _takes_logits = True

    def __init__(self) -> None:
        self.logits: list[Tensor] = []

    def put(self, value: Tensor) -> None:
        pass

    def put_draft(self, logits: Tensor) -> None:
        self.logits.append(logits[0].clone())

    def end(self) -> None:
        pass


def prompt(seed: int, length: int) -> list[int]:
    drawn = torch.randint(6, 4096, (length - 1,), generator=torch.Generator().manual_seed(seed + 1000))
    return [2, *drawn.tolist()]


def theirs(model: Any, ids: list[int], seed: int) -> tuple[list[int], list[Tensor]]:
    """The canvas that `generate` commits, and its logits of each step."""
    model.config.canvas_length = CANVAS
    streamer = LogitStreamer()
    torch.manual_seed(seed)
    out = model.generate(
        torch.tensor([ids]),
        max_new_tokens=CANVAS,
        max_denoising_steps=STEPS,
        t_max=0.8,
        t_min=0.45,
        confidence_threshold=0.3,
        stability_threshold=1,
        streamer=streamer,
    )
    return out.sequences[0, len(ids) :].tolist(), streamer.logits


def ours(backbone: Backbone, ids: list[int], seed: int, profile: Profile = UNIFORM) -> list[Pass]:
    slot = backbone.new_slot()
    finish(encode_prefix(backbone, slot, ids))
    canvas = make_canvas(CANVAS, [], control=None, first_allowed=[], device=backbone.device)
    torch.manual_seed(seed)
    return list(denoise(backbone, [slot], canvas, profile, TransformersNoise(), passes=STEPS))


def committed(result: Pass) -> list[int]:
    """Our ids as `generate` hands them out: what stands behind the first eos is replaced by pads."""
    ids = result.rows[0].ids
    return ids[: ids.index(1) + 1] + [0] * (len(ids) - ids.index(1) - 1) if 1 in ids else ids


@pytest.mark.parametrize("length", [1, 9, 40])
@pytest.mark.parametrize("name", ["starter", "tiny"])
def test_reference_is_bit_equal_in_every_step(request: pytest.FixtureRequest, name: str, length: int) -> None:
    model, backbone = request.getfixturevalue(f"transformers_{name}"), request.getfixturevalue(f"reference_{name}")
    ids = prompt(length, length)
    canvas, logits = theirs(model, ids, seed=3)
    recording = Recording(backbone)
    passes = ours(recording, ids, seed=3)
    assert len(passes) == len(logits)
    for number, (mine, other) in enumerate(zip(recording.logits, logits, strict=True), start=1):
        scaled = torch.tanh(mine / 30.0) * 30.0 / temperature(number, STEPS, 0.8, 0.45)
        assert torch.equal(scaled, other), f"step {number}"
    assert committed(passes[-1]) == canvas


@pytest.mark.parametrize("name", ["starter", "tiny"])
def test_own_commits_the_same_canvas_on_fifty_seeds(request: pytest.FixtureRequest, name: str) -> None:
    model, backbone = request.getfixturevalue(f"transformers_{name}"), request.getfixturevalue(f"own_{name}")
    for seed in range(50):
        ids = prompt(seed, 4 + seed)
        recording = Recording(backbone)
        passes = ours(recording, ids, seed)
        canvas, logits = theirs(model, ids, seed)
        assert committed(passes[-1]) == canvas, f"seed {seed}"
        scaled = [torch.tanh(m / 30.0) * 30.0 / temperature(n, STEPS, 0.8, 0.45) for n, m in enumerate(recording.logits, 1)]
        worst = max(float((mine - other).abs().max()) for mine, other in zip(scaled, logits, strict=True))
        assert worst < 1e-4 / 0.45, f"seed {seed}: {worst}"


def test_acceptance_is_that_of_the_entropy_bound_sampler() -> None:
    from transformers.models.diffusion_gemma.generation_diffusion_gemma import (  # noqa: PLC0415  transformers is slow to import
        EntropyBoundSampler,
        EntropyBoundSamplerConfig,
    )

    generator = torch.Generator().manual_seed(0)
    for bound in (0.05, 0.3, 2.0):
        sampler = EntropyBoundSampler(EntropyBoundSamplerConfig(entropy_bound=bound), 20, 100, 8)
        logits = torch.randn(3, 20, 100, generator=generator) * torch.rand(3, 20, 1, generator=generator) * 30
        empty = torch.zeros(3, 20, dtype=torch.int64)
        sampler.accept_canvas(empty, empty, logits, 1)
        entropy = torch.distributions.Categorical(logits=logits).entropy()
        assert torch.equal(accept(entropy, bound), sampler.accepted_token_mask)


def test_the_stop_test_is_that_of_stable_and_confident() -> None:
    from transformers.models.diffusion_gemma.generation_diffusion_gemma import (  # noqa: PLC0415  transformers is slow to import
        StableAndConfidentStoppingCriteria,
    )

    generator = torch.Generator().manual_seed(0)
    for stability in (0, 1, 2):
        own, other = StableAndConfident(stability, 0.5), StableAndConfidentStoppingCriteria(stability, 0.5)
        agreed = []
        for _ in range(60):
            ids = torch.randint(0, 2, (1, 2), generator=generator)
            logits = torch.randn(1, 2, 10, generator=generator) * 8
            entropy = torch.distributions.Categorical(logits=logits).entropy()
            mine = own(ids[0].tolist(), entropy[0], 2)
            assert mine == bool(other(ids, logits))
            agreed.append(mine)
        assert any(agreed)
        assert not all(agreed)
