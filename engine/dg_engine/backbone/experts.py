"""The mixture of experts, two ways: all of them at once where there are few, only the chosen ones where there are many."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor

DENSE_AT_MOST = 16
"""Up to here one matrix product over all experts beats gathering on a CPU (measured with 4)."""


def gelu(x: Tensor) -> Tensor:
    """The activation of DiffusionGemma: GELU in its tanh form."""
    return F.gelu(x, approximate="tanh")


def route(scores: Tensor, top_k: int, per_expert_scale: Tensor) -> tuple[Tensor, Tensor]:
    """Router scores [T, E] → weights and indices [T, k] of the chosen experts; the weights sum to 1 before each one's scale."""
    weights, index = torch.softmax(scores, dim=-1, dtype=torch.float32).topk(top_k, dim=-1)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights * per_expert_scale[index], index


def dense_down(gate_up: Tensor, weights: Tensor, index: Tensor, down: Tensor) -> Tensor:
    """All experts' gate and up [T, E, 2 I], down [H, E · I] → [T, H]; experts that were not chosen weigh 0."""
    tokens, experts, double = gate_up.shape
    spread = torch.zeros(tokens, experts, dtype=gate_up.dtype, device=gate_up.device)
    spread.scatter_(1, index, weights.to(gate_up.dtype))
    gate, up = gate_up.split(double // 2, dim=-1)
    hidden = gelu(gate) * up * spread[..., None]
    return F.linear(hidden.reshape(tokens, -1), down)


def grouped(x: Tensor, weights: Tensor, index: Tensor, gate_up: Tensor, down: Tensor) -> Tensor:
    """Tokens [T, H] through their chosen experts; gate_up [E, 2 I, H], down [E, H, I] → [T, H].

    Tokens are sorted by expert; results are added in token order, so that the sum does not depend on the grouping.
    """
    tokens, k = index.shape
    flat = index.reshape(-1)
    order = flat.argsort(stable=True)
    counts = torch.bincount(flat, minlength=len(gate_up)).tolist()
    sorted_x = x[order // k]
    sorted_out = torch.empty(tokens * k, x.shape[-1], dtype=x.dtype, device=x.device)
    start = 0
    for expert, count in enumerate(counts):
        rows = slice(start, start + count)
        if count:
            gate, up = F.linear(sorted_x[rows], gate_up[expert]).chunk(2, dim=-1)
            sorted_out[rows] = F.linear(gelu(gate) * up, down[expert])
        start += count
    out = torch.empty_like(sorted_out)
    out[order] = sorted_out
    return (out.view(tokens, k, -1) * weights[..., None].to(x.dtype)).sum(dim=1)
