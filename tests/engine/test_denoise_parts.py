"""Acceptance, stop test, temperature and noise, each against a value worked out by hand or by transformers' own classes."""

from __future__ import annotations

import pytest
import torch

from dg_engine.denoise.accept import accept, acceptance_floor
from dg_engine.denoise.noise import CounterNoise
from dg_engine.denoise.stop import StableAndConfident
from dg_engine.denoise.temperature import temperature


def test_rows_are_accepted_while_their_shared_information_is_small() -> None:
    entropy = torch.tensor([[0.2, 0.05, 3.0, 0.0]])
    assert accept(entropy, 0.1).tolist() == [[True, True, False, True]]


def test_the_surest_row_is_always_accepted() -> None:
    assert accept(torch.tensor([[5.0, 6.0]]), 0.01).tolist() == [[True, False]]


def test_the_floor_takes_the_surest_rows() -> None:
    assert accept(torch.tensor([[9.0, 7.0, 8.0]]), 0.01, floor=2).tolist() == [[False, True, True]]


def test_the_floor_fills_the_hole_on_the_last_pass() -> None:
    assert [acceptance_floor(16, left) for left in range(8, 0, -1)] == [2, 3, 3, 4, 4, 6, 8, 16]


def test_stable_needs_the_same_text_as_before() -> None:
    test = StableAndConfident(stability=1, confidence=0.5)
    sure = torch.zeros(3)
    assert not test([1, 2, 0], sure, 3)
    assert not test([1, 3, 0], sure, 3)
    assert test([1, 3, 0], sure, 3)


def test_rows_behind_the_end_mark_do_not_count() -> None:
    test = StableAndConfident(stability=1, confidence=0.5)
    assert not test([1, 0, 7], torch.tensor([0.1, 0.1, 9.0]), 2)
    assert test([1, 0, 8], torch.tensor([0.1, 0.1, 9.0]), 2)


def test_unsure_is_not_done() -> None:
    test = StableAndConfident(stability=0, confidence=0.5)
    assert not test([1], torch.tensor([0.6]), 1)
    assert test([1], torch.tensor([0.4]), 1)


def test_a_first_pass_is_never_stable() -> None:
    """Comparing with an empty history would end every job after one pass, on whatever stood there."""
    assert not StableAndConfident(stability=1, confidence=9.0)([1], torch.zeros(1), 1)
    assert not StableAndConfident(stability=2, confidence=9.0)([1], torch.zeros(1), 1)


def test_temperature_falls_from_first_towards_last() -> None:
    assert [temperature(n, 4, 0.8, 0.4) for n in (1, 2, 3, 4)] == pytest.approx([0.8, 0.7, 0.6, 0.5])


def test_noise_depends_on_its_key_alone() -> None:
    cpu, positions = torch.device("cpu"), torch.arange(5)
    one, four = CounterNoise(7, 1, cpu), CounterNoise(7, 4, cpu)
    assert torch.equal(one.exponential(3, positions, 50)[0], four.exponential(3, positions, 50)[0])
    assert torch.equal(one.tokens(2, positions, 50)[0], four.tokens(2, positions, 50)[0])
    assert torch.equal(one.exponential(3, positions[2:], 50)[0], one.exponential(3, positions, 50)[0, 2:])


@pytest.mark.parametrize("other", [(8, 3, 0), (7, 4, 0), (7, 3, 1)])
def test_another_key_gives_other_noise(other: tuple[int, int, int]) -> None:
    seed, pass_, candidate = other
    cpu, positions = torch.device("cpu"), torch.arange(4)
    base = CounterNoise(7, 2, cpu).exponential(3, positions, 100)[0]
    assert not torch.isclose(base, CounterNoise(seed, 2, cpu).exponential(pass_, positions, 100)[candidate]).any(dim=-1).all()


def test_exponential_noise_has_mean_and_spread_one_and_is_positive() -> None:
    noise = CounterNoise(1, 1, torch.device("cpu")).exponential(1, torch.arange(64), 4096)
    assert noise.min() > 0
    assert float(noise.mean()) == pytest.approx(1, abs=0.01)
    assert float(noise.std()) == pytest.approx(1, abs=0.01)


def test_tokens_are_uniform() -> None:
    drawn = CounterNoise(1, 1, torch.device("cpu")).tokens(1, torch.arange(40_000), 10)
    share = torch.bincount(drawn[0], minlength=10) / 40_000
    assert torch.all((share - 0.1).abs() < 0.01)
