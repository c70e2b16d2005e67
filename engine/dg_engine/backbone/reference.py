"""transformers' DiffusionGemma behind the seam: the twin that tests compare with, and the way to run what ours does not know yet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when transformers is imported: a model folder is all we ever load from

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor
from transformers import DiffusionGemmaForBlockDiffusion, DynamicCache
from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS
from transformers.utils import logging as transformers_logging

from dg_engine.backbone.experts import DENSE_AT_MOST, dense_down
from dg_engine.errors import ModelError
from dg_engine.loading.folder import ModelFolder
from dg_engine.prefix.slot import LayerShape, Slot

DENSE_EXPERTS = "dg_dense"
"""Name under which our dense path is registered in transformers' experts interface (its names are process-wide)."""


class TextOnly(DiffusionGemmaForBlockDiffusion):
    """The model without its vision tower, whose weights a text engine never reads."""

    _keys_to_ignore_on_load_unexpected = [r"vision", r"embed_vision"]  # noqa: RUF012 - the name and type are the base class'

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        del self.model.encoder.vision_tower, self.model.encoder.embed_vision


class RecordingCache(DynamicCache):
    """A cache that begins with a slot's keys and values, and writes what the encoder adds into the slot."""

    def __init__(self, config: Any, slot: Slot) -> None:
        super().__init__(config=config)
        self._slot = slot
        for number, layer in enumerate(self.layers):
            if len(slot):
                _preload(layer, slot, number)

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Keys and values [1, kv_heads, n, head_dim] of new positions → those to attend to."""
        self._slot.append(layer_idx, key_states[0], value_states[0])
        keys, values = super().update(key_states, value_states, layer_idx, *args, **kwargs)
        return keys, values


class ReferenceBackbone:
    """See dg_engine.backbone.base.Backbone for the contract."""

    name = "reference"

    def __init__(self, model: Any, device: torch.device, dtype: torch.dtype) -> None:
        self.model, self.device, self.dtype = model, device, dtype
        self._text = model.config.text_config
        self._encoder, self._decoder = model.model.encoder.language_model, model.model.decoder
        self.hidden_size, self.vocabulary = int(self._text.hidden_size), int(self._text.vocab_size)
        self.softcap: float | None = self._text.final_logit_softcapping

    @classmethod
    def load(cls, folder: ModelFolder, device: torch.device, dtype: torch.dtype) -> ReferenceBackbone:
        """Read a folder through `from_pretrained`. Raises ModelError."""
        transformers_logging.disable_progress_bar()
        transformers_logging.set_verbosity_error()
        try:
            model = TextOnly.from_pretrained(folder.path, dtype=dtype, local_files_only=True, use_safetensors=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelError(f"transformers cannot load {folder.path}: {error}") from None
        if folder.network.experts <= DENSE_AT_MOST and device.type == "cpu":
            model.set_experts_implementation(DENSE_EXPERTS)
        placed: Any = model
        return cls(placed.to(device).eval(), device, dtype)

    def new_slot(self) -> Slot:
        """An empty slot."""
        per_layer = [self._text.per_layer_config[number] for number in range(self._text.num_hidden_layers)]
        shapes = [LayerShape(int(layer.num_key_value_heads), int(layer.head_dim)) for layer in per_layer]
        return Slot(shapes, self.device, self.dtype)

    @torch.inference_mode()
    def encode(self, ids: Tensor, slot: Slot, rows: int | None = None) -> Tensor:
        """ids [n] → [n, H]; appends and commits their KV."""
        hidden: Tensor = self._encoder(input_ids=ids[None], cache=RecordingCache(self._text, slot)).last_hidden_state[0]
        slot.commit(ids.tolist())
        return hidden if rows is None else hidden[len(hidden) - rows :]

    @torch.inference_mode()
    def refine(self, ids: Tensor, beliefs: Tensor, slots: Sequence[Slot], rows: int | None = None) -> Tensor:
        """ids [B, C], beliefs [B, C, H] → [B, C, H], row by row where the slots differ."""
        if any(slot is not slots[0] for slot in slots):
            return torch.cat([self.refine(ids[b : b + 1], beliefs[b : b + 1], [slot], rows) for b, slot in enumerate(slots)])
        cache = _filled(self._text, slots[0], batch=len(ids))
        positions = torch.arange(len(slots[0]), len(slots[0]) + ids.shape[1], device=self.device)[None]
        hidden = self._decoder.self_conditioning(self._decoder.embed_tokens(ids), beliefs)
        rope = {kind: self._decoder.rotary_emb(hidden, positions, kind) for kind in set(self._text.layer_types)}
        for layer, kind in zip(self._decoder.layers, self._text.layer_types, strict=True):
            hidden = layer(hidden, position_embeddings=rope[kind], attention_mask=None, position_ids=positions, cache=cache)
        normed: Tensor = self._decoder.norm(hidden)
        return normed[:, :rows]

    @torch.inference_mode()
    def head(self, rows: Tensor) -> Tensor:
        """Hidden states [R, H] → logits [R, V] in fp32, before the softcap."""
        logits: Tensor = self.model.lm_head(rows)
        return logits.float()

    @torch.inference_mode()
    def embed(self, ids: Tensor) -> Tensor:
        """Ids [...] → scaled embeddings [..., H]."""
        embeddings: Tensor = self._decoder.embed_tokens(ids)
        return embeddings

    @torch.inference_mode()
    def expect(self, probabilities: Tensor) -> Tensor:
        """Probabilities [R, V] → expected scaled embeddings [R, H]."""
        table = self._decoder.embed_tokens
        expected: Tensor = torch.matmul(probabilities.to(table.weight.dtype), table.weight) * table.embed_scale.to(self.dtype)
        return expected


def _filled(config: Any, slot: Slot, batch: int) -> DynamicCache:
    """A cache that shows a slot to the decoder, which only reads it; batch rows share it by expansion."""
    cache = DynamicCache(config=config)
    layers: list[Any] = list(cache.layers)
    for number, layer in enumerate(layers):
        _preload(layer, slot, number)
        layer.keys, layer.values = (x.expand(batch, -1, -1, -1) for x in (layer.keys, layer.values))
    return cache


def _preload(layer: Any, slot: Slot, number: int) -> None:
    """Sliding layers hold the last window - 1 positions, full ones everything."""
    keys, values = slot.keys(number)[None], slot.values(number)[None]
    layer.lazy_initialization(keys, values)
    if layer.is_sliding:
        layer.cumulative_length = len(slot)
        keys, values = (x[:, :, -layer.sliding_window + 1 :] for x in (keys, values))
    layer.keys, layer.values = keys, values


def _dense_experts(module: Any, hidden: Tensor, index: Tensor, weights: Tensor) -> Tensor:
    """Our dense path in transformers' experts interface: hidden [T, H], index and weights [T, k] → [T, H]."""
    experts, double, width = module.gate_up_proj.shape
    gate_up = F.linear(hidden, module.gate_up_proj.reshape(experts * double, width)).view(-1, experts, double)
    return dense_down(gate_up, weights, index, module.down_proj.permute(1, 0, 2).reshape(width, -1))


ALL_EXPERTS_FUNCTIONS.register(DENSE_EXPERTS, _dense_experts)
