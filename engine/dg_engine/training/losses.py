"""The loss of a batch: causal on the windows, denoising on open rows, in part as a later pass on the model's own choices."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dg_engine.training.batches import Batch
from dg_engine.training.head import Ban, Scored, score
from dg_engine.training.mix import Mix
from dg_engine.training.network import Network, Prefixes

_LATER_PAD, _SEEN_RIGHT, _GUESSED_RIGHT = 0.05, 0.2, 0.4
"""Weights of rows that are easy: pads behind the first, and what the pass sees already."""
_FADE, _FARTHEST = 0.7, 0.1
"""Weight of a masked row for each masked one between it and what is known to its left, and the least that it falls to."""


@dataclass(frozen=True)
class Result:
    """`loss` to be minimised, and figures to be shown."""

    loss: Tensor
    figures: dict[str, float]


@dataclass(frozen=True)
class _Step:
    """What all passes of a step share."""

    network: Network
    batch: Batch
    mix: Mix
    prefixes: Prefixes
    ban: Ban
    generator: torch.Generator

    def hidden(self, state: _State) -> Tensor:
        """Hidden states of the open rows [rows, H]."""
        batch = self.batch
        states = self.network.canvas(state.ids, state.beliefs, self.prefixes, batch.owner, batch.lengths)
        return states[batch.is_open]


@dataclass(frozen=True)
class _State:
    """What a pass is fed: ids [m, C] and beliefs [m, C, H]."""

    ids: Tensor
    beliefs: Tensor


def batch_loss(network: Network, batch: Batch, mix: Mix) -> Result:
    """Fold the weights and compute everything; gradients are the caller's."""
    generator = torch.Generator().manual_seed(batch.seed)
    network.fuse()
    hidden, prefixes = network.encode(batch.windows)
    causal = _causal(network, hidden, batch.windows, mix, generator)
    step = _Step(network, batch, mix, prefixes, _banned(batch, mix), generator)
    with torch.no_grad():
        state = _begin(network, batch, mix, generator)
        later = float(torch.rand((), generator=generator)) < mix.second
        if later:
            state = _unroll(step, state)
    target, weight = batch.target[batch.is_open], _weights(batch, state.ids[batch.is_open], mix)
    scored = score(step.hidden(state), network.embedding, target, weight, cap=network.config.softcap, ban=step.ban)
    figures = {"causal": causal.item(), "denoise": scored.loss.item()} | _figures(batch, scored, mix, later=later)
    return Result(mix.causal * causal + scored.loss, figures)


def _causal(network: Network, hidden: Tensor, windows: Tensor, mix: Mix, generator: torch.Generator) -> Tensor:
    """Mean loss of each next id, of a share of the places: the head costs as much there as the trunk."""
    target = windows[:, 1:]
    real = (target != mix.ids["pad"]) & (torch.rand(target.shape, generator=generator) < mix.causal_rows)
    chosen = target[real]
    return score(hidden[:, :-1][real], network.embedding, chosen, torch.ones(len(chosen)), cap=network.config.softcap).loss


def _begin(network: Network, batch: Batch, mix: Mix, generator: torch.Generator) -> _State:
    """A first pass' state: open rows have no belief, pins their own embedding, some canvases none at all."""
    pinned = (~batch.is_open)[..., None]
    silent = torch.rand(len(batch.target), 1, 1, generator=generator) < mix.no_belief
    return _State(batch.given, network.embed(batch.given) * (pinned & ~silent))


def _unroll(step: _Step, state: _State) -> _State:
    """One or two passes as inference makes them: beliefs of the tempered logits, the surest samples placed, the rest masked again."""
    batch, mix, generator, network = step.batch, step.mix, step.generator, step.network
    passes = 2 if float(torch.rand((), generator=generator)) < mix.third else 1
    first, last = mix.temperatures
    for number in range(passes):
        heat = first + (last - first) * (number + float(torch.rand((), generator=generator)) * 0.6) / 3
        logits = network.head(step.hidden(state))
        step.ban.apply(logits, 0)
        chance = (logits / heat).softmax(-1)
        edge = torch.rand(len(chance), 1, generator=generator)
        drawn = (chance.cumsum(-1) < edge).sum(-1).clamp_max(chance.shape[1] - 1)
        entropy = torch.full(batch.target.shape, torch.inf)
        entropy[batch.is_open] = -(chance * chance.clamp_min(1e-20).log()).sum(-1)
        ids = batch.given.clone()
        ids[batch.is_open] = drawn
        taken = _accepted(entropy, batch, mix, generator)
        ids = torch.where(batch.is_open & ~taken, mix.ids["mask"], ids)
        beliefs = network.embed(batch.given)
        beliefs[batch.is_open] = network.expect(chance).float()
        state = _State(ids, beliefs)
    return state


def _accepted(entropy: Tensor, batch: Batch, mix: Mix, generator: torch.Generator) -> Tensor:
    """Rows [m, C] whose sample stays: as the entropy bound has it, and at least a share drawn for each canvas."""
    ordered, order = torch.sort(entropy, dim=-1)
    rows = batch.is_open.sum(-1, keepdim=True)
    floor = torch.rand(len(entropy), 1, generator=generator) * 0.75 * rows
    keep = (ordered.cumsum(-1) - ordered <= mix.bound) | (torch.arange(entropy.shape[1]) < floor)
    return torch.zeros_like(keep).scatter(-1, order, keep & ordered.isfinite())


def _banned(batch: Batch, mix: Mix) -> Ban:
    """What no open row may hold, and what healing forbids on the first of a hole."""
    place = batch.is_open.nonzero()
    rows = (place[:, 1] == 0).nonzero()[:, 0]
    return Ban([mix.ids["bos"], mix.ids["unknown"], mix.ids["file"], mix.ids["mask"]], rows, ~batch.first_allowed)


def _weights(batch: Batch, seen: Tensor, mix: Mix) -> Tensor:
    """How much each open row counts [rows]."""
    pad = batch.target == mix.ids["pad"]
    later = pad & (pad.cumsum(-1) > 1)
    guessed = batch.guessed[:, None].expand_as(pad)
    weight = torch.where(guessed, _GUESSED_RIGHT, _SEEN_RIGHT)[batch.is_open]
    weight = torch.where(seen == batch.target[batch.is_open], weight, _nearness(batch, seen, mix)[batch.is_open])
    return torch.where(later[batch.is_open], _LATER_PAD * weight, weight)


def _nearness(batch: Batch, seen: Tensor, mix: Mix) -> Tensor:
    """More for rows behind something known [m, C]: what lies further right nobody can know before that, and its loss is mostly noise."""
    masked = torch.zeros_like(batch.is_open)
    masked[batch.is_open] = seen == mix.ids["mask"]
    before = masked.int().cumsum(-1)
    start = torch.where(masked, torch.zeros_like(before), before).cummax(-1).values
    gap = (before - start - 1).clamp_min(0)
    return (_FADE**gap).clamp_min(_FARTHEST)


def _figures(batch: Batch, scored: Scored, mix: Mix, *, later: bool) -> dict[str, float]:
    """Loss and accuracy on what inference asks for: whole holes from nothing but masks."""
    pad = mix.ids["pad"]
    rows = batch.is_open.nonzero()
    in_hole = rows[:, 1] < batch.hole
    target = batch.target[batch.is_open]
    counts = in_hole & ((target != pad) | (batch.target[rows[:, 0], (rows[:, 1] - 1).clamp_min(0)] != pad))
    right = scored.best == target
    fresh = batch.fresh[rows[:, 0]] & counts
    figures = {}
    if fresh.any():
        wrong = torch.zeros(len(batch.target)).index_add_(0, rows[fresh, 0], (~right[fresh]).float())
        name = "later" if later else "first"
        figures[f"{name}_nats"] = scored.each[fresh].mean().item()
        figures[f"{name}_right"] = right[fresh].float().mean().item()
        figures[f"{name}_whole"] = (wrong[batch.fresh] == 0).float().mean().item()
    guess = batch.guessed[rows[:, 0]] & counts
    given = batch.given[batch.is_open]
    for name, which in (("kept", given == target), ("mended", (given != target) & (given != mix.ids["mask"]))):
        if (chosen := guess & which).any():
            figures[name] = right[chosen].float().mean().item()
    return figures
