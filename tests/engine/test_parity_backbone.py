"""Both backbones against transformers called directly: encoder and canvas, all lengths around the window, whole and in chunks."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import DynamicCache

from dg_engine.backbone.base import Backbone
from dg_engine.prefix.slot import Slot

pytestmark = pytest.mark.parity

NAMES = ["starter", "tiny"]
LENGTHS = [1, 7, 15, 16, 17, 40]
"""Shorter than, equal to and longer than the tiny model's window of 16 (and its 15 cached positions)."""
CANVAS = 12


def some_ids(count: int, seed: int = 0) -> Tensor:
    ids = torch.randint(6, 4096, (count,), generator=torch.Generator().manual_seed(seed))
    ids[0] = 2
    return ids


@pytest.fixture(params=NAMES)
def models(request: pytest.FixtureRequest) -> tuple[Any, Backbone, Backbone]:
    """transformers' model, the reference backbone, ours."""
    return tuple(request.getfixturevalue(f"{side}_{request.param}") for side in ("transformers", "reference", "own"))  # type: ignore[return-value]


def their_encoder(model: Any, ids: Tensor) -> tuple[Tensor, DynamicCache]:
    cache = DynamicCache(config=model.config.text_config)
    with torch.inference_mode():
        hidden = model.model.encoder(input_ids=ids[None], cache=cache).last_hidden_state[0]
    return hidden, cache


def slot_of(backbone: Backbone, ids: Tensor, chunk: int = 1000) -> tuple[Slot, Tensor]:
    slot = backbone.new_slot()
    hidden = torch.cat([backbone.encode(part, slot) for part in ids.split(chunk)])
    assert slot.ids == ids.tolist()
    return slot, hidden


@pytest.mark.parametrize("length", LENGTHS)
def test_encoder(models: tuple[Any, Backbone, Backbone], length: int) -> None:
    model, reference, own = models
    ids = some_ids(length)
    expected, _ = their_encoder(model, ids)
    assert torch.equal(slot_of(reference, ids)[1], expected)
    mine = slot_of(own, ids)[1]
    assert torch.allclose(own.head(mine), reference.head(expected), atol=1e-4, rtol=0)


@pytest.mark.parametrize("chunk", [1, 5, 15, 16])
def test_encoder_in_chunks(models: tuple[Any, Backbone, Backbone], chunk: int) -> None:
    _, reference, own = models
    ids = some_ids(40)
    whole = slot_of(reference, ids)[1]
    for backbone in (reference, own):
        assert torch.allclose(backbone.head(slot_of(backbone, ids, chunk)[1]), reference.head(whole), atol=1e-4, rtol=0)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("believing", [False, True])
def test_canvas(models: tuple[Any, Backbone, Backbone], length: int, *, believing: bool) -> None:
    model, reference, own = models
    ids, canvas = some_ids(length), some_ids(CANVAS, seed=1)[None]
    logits = torch.randn(1, CANVAS, 4096, generator=torch.Generator().manual_seed(2)) * 5 if believing else None
    _, cache = their_encoder(model, ids)
    with torch.inference_mode():
        expected = model(decoder_input_ids=canvas, cache=cache, self_conditioning_logits=logits).logits[0]
    for backbone, bits in ((reference, True), (own, False)):
        none = torch.zeros(1, CANVAS, backbone.hidden_size)
        beliefs = none if logits is None else backbone.expect(logits[0].softmax(-1))[None]
        slot = slot_of(backbone, ids)[0]
        raw = backbone.head(backbone.refine(canvas, beliefs, [slot])[0])
        assert backbone.softcap is not None
        capped = torch.tanh(raw / backbone.softcap) * backbone.softcap
        assert torch.equal(capped, expected) if bits else torch.allclose(capped, expected, atol=1e-4, rtol=0)
        assert slot.ids == ids.tolist(), "a pass writes nothing"


def test_canvas_rows_share_a_slot_or_have_their_own(models: tuple[Any, Backbone, Backbone]) -> None:
    for backbone in models[1:]:
        slots = [slot_of(backbone, some_ids(n))[0] for n in (9, 30)]
        canvas = torch.stack([some_ids(CANVAS, seed=s) for s in (1, 2)])
        beliefs = backbone.embed(canvas)
        alone = [backbone.refine(canvas[b : b + 1], beliefs[b : b + 1], [slots[0]])[0] for b in (0, 1)]
        shared = backbone.refine(canvas, beliefs, [slots[0], slots[0]])
        assert torch.allclose(shared, torch.stack(alone), atol=1e-5, rtol=0)
        mixed = backbone.refine(canvas, beliefs, slots)
        assert torch.allclose(mixed[0], alone[0], atol=1e-5, rtol=0)
        assert not torch.allclose(mixed[1], alone[1], atol=1e-3, rtol=0)


def test_a_truncated_slot_goes_on_like_a_fresh_one(models: tuple[Any, Backbone, Backbone]) -> None:
    for backbone in models[1:]:
        ids, other = some_ids(40), some_ids(40, seed=5)
        slot, _ = slot_of(backbone, torch.cat([ids[:20], other[20:]]))
        slot.truncate(20)
        again = backbone.encode(ids[20:], slot)
        assert torch.allclose(again, slot_of(backbone, ids)[1][20:], atol=1e-4, rtol=0)


def test_a_trial_leaves_nothing_behind(models: tuple[Any, Backbone, Backbone]) -> None:
    for backbone in models[1:]:
        canvas = some_ids(CANVAS, seed=1)[None]
        slot, _ = slot_of(backbone, some_ids(20))
        before = backbone.refine(canvas, backbone.embed(canvas), [slot])
        backbone.encode(some_ids(9, seed=3), slot)
        slot.truncate(20)
        assert torch.equal(backbone.refine(canvas, backbone.embed(canvas), [slot]), before)


def test_certain_beliefs_are_embeddings(models: tuple[Any, Backbone, Backbone]) -> None:
    for backbone in models[1:]:
        ids = some_ids(5)
        certain = torch.nn.functional.one_hot(ids, 4096).float()
        assert torch.allclose(backbone.expect(certain), backbone.embed(ids), atol=1e-6, rtol=0)


def test_the_two_layer_scalars_are_kept_apart(own_tiny: Any) -> None:
    layer = own_tiny._layers[0]
    assert float(layer.encoder_scalar) == pytest.approx(0.9)
    assert float(layer.decoder_scalar) == pytest.approx(1.1)
