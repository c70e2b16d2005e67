"""The token sampler's reference against distributions written out."""

from __future__ import annotations

import pytest
import torch

from dg_kernels.token_sampler import sample_tokens


def test_values_of_a_small_row() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25]]))
    sample = sample_tokens(logits, temperature=1.0, exponential=None)
    assert sample.argmax.tolist() == [0]
    assert sample.sampled.tolist() == [0]
    assert float(sample.entropy) == pytest.approx(1.0397, abs=1e-4)
    assert float(sample.logsumexp) == pytest.approx(0.0, abs=1e-6)
    assert float(sample.confidence) == pytest.approx(0.5)
    assert sample.probabilities[0].tolist() == pytest.approx([0.5, 0.25, 0.25])


def test_confidence_is_at_temperature_one_and_entropy_is_not() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25]]))
    sample = sample_tokens(logits, temperature=0.5, exponential=None)
    assert float(sample.confidence) == pytest.approx(0.5)
    assert float(sample.entropy) == pytest.approx(0.8676, abs=1e-4)


def test_softcap_comes_before_temperature() -> None:
    sample = sample_tokens(torch.tensor([[100.0, 0.0]]), temperature=2.0, exponential=None, softcap=30.0)
    capped = 30 * torch.tanh(torch.tensor(100 / 30))
    assert float(sample.probabilities[0, 0]) == pytest.approx(float(torch.sigmoid(capped / 2)))


def test_banned_ids_are_impossible() -> None:
    banned = torch.tensor([[True, False, False], [False, True, True]])
    sample = sample_tokens(
        torch.zeros(2, 3), temperature=1.0, exponential=torch.tensor([[1e-9, 1, 2.0], [1, 1e-9, 1e-9]]), banned=banned
    )
    assert sample.sampled.tolist() == [1, 0]
    assert sample.probabilities[0].tolist() == [0.0, 0.5, 0.5]
    assert float(sample.entropy[0]) == pytest.approx(0.6931, abs=1e-4)
    assert float(sample.confidence[1]) == 1.0


def test_a_draw_is_what_multinomial_draws() -> None:
    logits = torch.randn(64, 300, generator=torch.Generator().manual_seed(1))
    probabilities = logits.softmax(-1)
    expected = torch.multinomial(probabilities, 1, generator=torch.Generator().manual_seed(2)).squeeze(-1)
    noise = torch.empty(64, 300).exponential_(generator=torch.Generator().manual_seed(2))
    assert torch.equal(sample_tokens(logits, temperature=1.0, exponential=noise).sampled, expected)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_rows_that_are_not_finite_are_told(bad: float) -> None:
    logits = torch.zeros(2, 4)
    logits[1, 2] = bad
    assert sample_tokens(logits, temperature=1.0, exponential=None).finite.tolist() == [True, False]
