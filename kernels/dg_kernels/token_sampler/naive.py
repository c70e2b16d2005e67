"""The token sampler in plain torch: the truth that faster versions are tested against."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class TokenSample(NamedTuple):
    """What the denoising loop needs to know of R rows."""

    sampled: Tensor
    """[R] int64, drawn at the given temperature."""
    argmax: Tensor
    """[R] int64, the likeliest id."""
    entropy: Tensor
    """[R] fp32, nats, of the distribution at the given temperature."""
    logsumexp: Tensor
    """[R] fp32, of the softcapped logits at temperature 1, banned ids left out."""
    confidence: Tensor
    """[R] fp32, probability of `argmax` at temperature 1."""
    finite: Tensor
    """[R] bool, false where a row held a NaN or an infinity before anything was banned."""
    probabilities: Tensor
    """[R, V] fp32, at the given temperature: what beliefs are made of."""


def sample_tokens(
    logits: Tensor,
    *,
    temperature: float,
    exponential: Tensor | None,
    softcap: float | None = None,
    banned: Tensor | None = None,
) -> TokenSample:
    """Sample each of R rows of logits [R, V] (fp32, before the softcap) at `temperature` > 0.

    `exponential` [R, V] holds Exp(1) noise: argmax(p / noise) is a draw from p (the race of exponentials, which is what
    torch.multinomial does for one sample); None takes the argmax. `banned` [V] or [R, V], true where an id must not be
    chosen; a row keeps at least one id. Softcap: s · tanh(x / s), in fp32 (Gemma 2, arXiv 2408.00118, section 2).
    """
    finite = torch.isfinite(logits).all(dim=-1)
    capped = logits if softcap is None else torch.tanh(logits / softcap) * softcap
    if banned is not None:
        capped = capped.masked_fill(banned, -torch.inf)
    scaled = capped / temperature
    probabilities = torch.softmax(scaled, dim=-1, dtype=torch.float32)
    argmax = scaled.argmax(dim=-1)
    sampled = argmax if exponential is None else (probabilities / exponential).argmax(dim=-1)
    logsumexp = capped.logsumexp(dim=-1)
    confidence = (capped.gather(-1, argmax[:, None]).squeeze(-1) - logsumexp).exp()
    return TokenSample(sampled, argmax, _entropy(scaled), logsumexp, confidence, finite, probabilities)


def _entropy(scaled: Tensor) -> Tensor:
    """Entropy in nats of softmax(scaled) [R, V] → [R]; impossible ids count nothing."""
    log_p = scaled - scaled.logsumexp(dim=-1, keepdim=True)
    return -(log_p.clamp(min=torch.finfo(log_p.dtype).min) * log_p.softmax(dim=-1)).sum(dim=-1)
