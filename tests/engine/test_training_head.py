"""The head's own gradients are those that autograd finds."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it

from dg_engine.training.head import Ban, score

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("cap", [None, 3.0])
def test_loss_and_gradients(cap: float | None) -> None:
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(500, 8, generator=generator, requires_grad=True)
    table = torch.randn(30, 8, generator=generator, requires_grad=True)
    target, weight = torch.randint(4, 30, (500,), generator=generator), torch.rand(500, generator=generator)
    masks = torch.rand(3, 30, generator=generator) < 0.5
    rows = torch.tensor([0, 200, 499])
    masks[torch.arange(3), target[rows]] = False
    scored = score(hidden, table, target, weight, cap=cap, ban=Ban([1, 2], rows, masks))
    (2 * scored.loss).backward()
    found = [x.grad.clone() for x in (hidden, table) if x.grad is not None]
    hidden.grad = table.grad = None
    logits = hidden @ table.T
    logits = logits if cap is None else torch.tanh(logits / cap) * cap
    forbidden = torch.zeros(500, 30, dtype=torch.bool)
    forbidden[:, [1, 2]] = True
    forbidden[rows] |= masks
    logits = logits.masked_fill(forbidden, -1e4)
    each = F.cross_entropy(logits, target, reduction="none")
    loss = (each * weight).sum() / weight.sum()
    (2 * loss).backward()
    assert torch.allclose(scored.loss, loss, atol=1e-5)
    assert torch.allclose(scored.each, each, atol=1e-4)
    assert torch.equal(scored.best, logits.argmax(-1))
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(found, (hidden.grad, table.grad), strict=True) if b is not None)
