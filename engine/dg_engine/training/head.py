"""Cross-entropy of capped logits with its gradient made at once, some rows at a time: the [rows, V] tables stay in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_ROWS = 192
"""Rows at a time: 3 MB of logits for a vocabulary of 4096."""

_NEVER = -1e4


@dataclass(frozen=True)
class Ban:
    """What rows must not hold: ids that none may, and for some rows a mask of their own."""

    ids: list[int]
    rows: Tensor
    """Numbers of rows with a choice of their own, ascending [r]."""
    masks: Tensor
    """True where such a row may not hold an id [r, V]."""

    def apply(self, logits: Tensor, first: int) -> None:
        """Ban in place, in logits [n, V] of rows first … first + n - 1."""
        logits[:, self.ids] = _NEVER
        chosen = (self.rows >= first) & (self.rows < first + len(logits))
        if bool(chosen.any()):
            logits[self.rows[chosen] - first] += self.masks[chosen] * _NEVER


@dataclass(frozen=True)
class Scored:
    """`loss`: weighted mean; `each`: every row's loss [R]; `best`: its likeliest id [R]."""

    loss: Tensor
    each: Tensor
    best: Tensor


def score(
    hidden: Tensor, embedding: Tensor, target: Tensor, weight: Tensor, *, cap: float | None = None, ban: Ban | None = None
) -> Scored:
    """Hidden states [R, H] against target ids [R], rows weighted [R]. Only `loss` has gradients."""
    share = weight / weight.sum()
    loss, each, best = _Score.apply(hidden, embedding, target, share, cap, ban)  # type: ignore[no-untyped-call]  # torch's own
    return Scored(loss, each, best)


class _Score(torch.autograd.Function):
    """Computes both gradients on the way forward, where anything wants them."""

    @staticmethod
    def forward(  # noqa: PLR0917  autograd gives by position
        ctx: Any, hidden: Tensor, embedding: Tensor, target: Tensor, weight: Tensor, cap: float | None, ban: Ban | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        kind = torch.bfloat16 if torch.is_autocast_enabled(hidden.device.type) else torch.float32
        rows, table = hidden.to(kind), embedding.to(kind)
        each, best = torch.empty(len(rows), device=hidden.device), torch.empty_like(target)
        wanted = any(ctx.needs_input_grad[:2])
        to_hidden, to_table = torch.empty_like(hidden), torch.zeros_like(embedding)
        for first in range(0, len(rows), _ROWS):
            part = slice(first, first + _ROWS)
            logits, slope = _capped(rows[part] @ table.T, cap)
            if ban is not None:
                ban.apply(logits, first)
            best[part] = logits.argmax(-1)
            place = target[part, None]
            right = logits.gather(1, place)
            peak = logits.amax(-1, keepdim=True)
            chance = logits.sub_(peak).exp_()
            total = chance.sum(-1, keepdim=True)
            each[part] = (total.log() + peak - right)[:, 0]
            if wanted:
                chance.div_(total).scatter_add_(1, place, torch.full_like(right, -1.0)).mul_(weight[part, None])
                gradient = (chance if slope is None else chance.mul_(slope)).to(kind)
                to_hidden[part] = (gradient @ table).float()
                to_table += (gradient.T @ rows[part]).float()
        ctx.save_for_backward(to_hidden, to_table)
        ctx.mark_non_differentiable(each, best)
        return (each * weight).sum(), each, best

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        to_hidden, to_table = ctx.saved_tensors
        return to_hidden * gradients[0], to_table * gradients[0], None, None, None, None


def _capped(logits: Tensor, cap: float | None) -> tuple[Tensor, Tensor | None]:
    """Capped logits in fp32, and the cap's slope."""
    if cap is None:
        return logits.float(), None
    bent = logits.float().div_(cap).tanh_()
    return bent * cap, 1 - bent * bent
