"""Training learns, and goes on from its checkpoint as if it had never stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import dg_engine
from dg_engine.loading import open_folder
from dg_engine.training.build import batch_maker
from dg_engine.training.corpus import Corpus
from dg_engine.training.folder import fresh_network
from dg_engine.training.loop import Plan, Trainer, hold
from dg_engine.training.mix import Mix, Shape
from dg_engine.training.network import Network
from dg_engine.training.optimizers import Optimizers

pytestmark = pytest.mark.slow

SMALL = Mix(shapes=(Shape(12, 12, 0.7, 8), Shape(24, 24, 0.3, 4)), windows=((64, 4, 0.6), (96, 2, 0.4)))


def trainer(tiny: Path, run: Path, plan: Plan, *, seed: int = 0) -> Trainer:
    root = Path(dg_engine.__file__).parent
    files = sorted((root / "denoise").glob("*.py"))
    corpus = Corpus.of([file.read_text() for file in files], [file.name for file in files])
    network = fresh_network(open_folder(tiny).network, seed=5)
    optimizers = Optimizers(network, matrix_rate=0.02, other_rate=3e-3)
    return Trainer(network, optimizers, batch_maker(corpus, tiny, 4096, SMALL, seed=seed), plan, run / "checkpoint.safetensors")


def weights(network: Network) -> dict[str, torch.Tensor]:
    return {name: parameter.detach().clone() for name, parameter in network.parameters.items()}


def test_resuming_changes_no_bit(tiny_folder: Path, tmp_path: Path) -> None:
    plan = Plan(steps=6, warm_up=2)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = trainer(tiny_folder, tmp_path / "a", plan)
    whole.run()
    trainer(tiny_folder, tmp_path / "b", Plan(steps=6, warm_up=2, stop_after=3)).run()
    second = trainer(tiny_folder, tmp_path / "b", plan, seed=99)  # the checkpoint's seed counts
    assert second.place.step == 3
    place = second.run()
    assert (place.step, place.seed, place.tokens) == (6, 0, whole.place.tokens)
    first = weights(whole.network)
    assert all(torch.equal(first[name], tensor) for name, tensor in weights(second.network).items())
    states = whole.optimizers.state(), second.optimizers.state()
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][name], tensor) for name, tensor in states[1].items())


def test_the_loss_falls(tiny_folder: Path, tmp_path: Path) -> None:
    run = trainer(tiny_folder, tmp_path, Plan(steps=30, warm_up=3))
    before = hold(run.network, run.batches, 2)
    told: list[dict[str, float]] = []
    run.tell = told.append
    run.plan = Plan(steps=30, warm_up=3, tell_every=10)
    run.run()
    after = hold(run.network, run.batches, 2)
    assert after["held_causal"] < before["held_causal"] - 0.5
    assert after["held_denoise"] < before["held_denoise"] - 0.5
    assert [figures["step"] for figures in told] == [10, 20, 30]
    assert {"causal", "denoise", "tokens_a_second"} <= told[0].keys()
