"""Our trunk: safetensors by name, one list of layers for encoder and canvas, no vision tower, no transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor

from dg_engine.backbone.experts import gelu
from dg_engine.backbone.layer import Attend, Layer
from dg_engine.backbone.rope import RopeTable
from dg_engine.loading.config import NetworkConfig, Rope
from dg_engine.loading.folder import ModelFolder
from dg_engine.loading.weights import Weights
from dg_engine.prefix.slot import LayerShape, Slot


class OwnBackbone:
    """See dg_engine.backbone.base.Backbone for the contract."""

    name = "own"

    def __init__(self, network: NetworkConfig, weights: Weights, device: torch.device, dtype: torch.dtype) -> None:
        self.network, self.device, self.dtype = network, device, dtype
        self.hidden_size, self.vocabulary, self.softcap = network.hidden, network.vocabulary, network.softcap
        hidden, inter = network.hidden, network.intermediate
        self._embedding = weights.shared("embed_tokens.weight", (network.vocabulary, hidden))
        self._embed_scale = torch.tensor(hidden**0.5, device=device, dtype=dtype)
        self._norm = weights.shared("norm.weight", (hidden,))
        before = weights.decoder("self_conditioning.pre_norm.weight", (hidden,))
        gate, up = (weights.decoder(f"self_conditioning.{part}_proj.weight", (inter, hidden)) for part in ("gate", "up"))
        self._condition_up = torch.cat([gate, up]) * before
        self._condition_down = weights.decoder("self_conditioning.down_proj.weight", (hidden, inter))
        self._layers = [Layer(number, network, weights) for number in range(len(network.layers))]
        self._ropes: dict[tuple[Rope, int], RopeTable] = {
            key: RopeTable(*key, device, dtype) for key in {(layer.rope, layer.head_dim) for layer in network.layers}
        }

    @classmethod
    def load(
        cls, folder: ModelFolder, device: torch.device, dtype: torch.dtype, progress: Callable[[float], None] | None = None
    ) -> OwnBackbone:
        """Read a folder's weights. Raises ModelError."""
        with torch.inference_mode():
            return cls(folder.network, Weights(folder, device, dtype, progress), device, dtype)

    def new_slot(self) -> Slot:
        """An empty slot."""
        shapes = [LayerShape(layer.kv_heads, layer.head_dim) for layer in self.network.layers]
        return Slot(shapes, self.device, self.dtype)

    @torch.inference_mode()
    def encode(self, ids: Tensor, slot: Slot) -> Tensor:
        """ids [n] → [n, H]; appends and commits their KV."""
        start, count = len(slot), len(ids)
        hidden = self.embed(ids)[None]
        for number, layer in enumerate(self._layers):
            attend = _causal(slot, number, self.network, start)
            hidden = layer(hidden, self._rope(number, start, count), attend, layer.encoder_scalar)
        slot.commit(ids.tolist())
        return F.rms_norm(hidden[0], (self.hidden_size,), self._norm, self.network.eps)

    @torch.inference_mode()
    def refine(self, ids: Tensor, beliefs: Tensor, slots: Sequence[Slot]) -> Tensor:
        """ids [B, C], beliefs [B, C, H] → [B, C, H]."""
        if any(slot is not slots[0] for slot in slots):
            rows = [self.refine(ids[b : b + 1], beliefs[b : b + 1], [slot]) for b, slot in enumerate(slots)]
            return torch.cat(rows)
        slot, hidden = slots[0], self._condition(self.embed(ids), beliefs)
        for number, layer in enumerate(self._layers):
            attend = _bidirectional(slot, number, self.network)
            hidden = layer(hidden, self._rope(number, len(slot), ids.shape[1]), attend, layer.decoder_scalar)
        return F.rms_norm(hidden, (self.hidden_size,), self._norm, self.network.eps)

    @torch.inference_mode()
    def head(self, rows: Tensor) -> Tensor:
        """Hidden states [R, H] → logits [R, V] in fp32, before the softcap."""
        return F.linear(rows, self._embedding).float()

    @torch.inference_mode()
    def embed(self, ids: Tensor) -> Tensor:
        """Ids [...] → scaled embeddings [..., H]."""
        return F.embedding(ids, self._embedding) * self._embed_scale

    @torch.inference_mode()
    def expect(self, probabilities: Tensor) -> Tensor:
        """Probabilities [R, V] → expected scaled embeddings [R, H]."""
        return probabilities.to(self.dtype) @ self._embedding * self._embed_scale

    def _condition(self, embeddings: Tensor, beliefs: Tensor) -> Tensor:
        """Add what the last pass believed to the canvas' embeddings; no belief adds nothing."""
        normed = F.rms_norm(beliefs, (self.hidden_size,), None, self.network.eps)
        gate, up = F.linear(normed, self._condition_up).chunk(2, dim=-1)
        signal = F.linear(gelu(gate) * up, self._condition_down)
        return F.rms_norm(embeddings + signal, (self.hidden_size,), None, self.network.eps)

    def _rope(self, number: int, start: int, count: int) -> tuple[Tensor, Tensor]:
        layer = self.network.layers[number]
        return self._ropes[layer.rope, layer.head_dim](start, count)


def _causal(slot: Slot, number: int, network: NetworkConfig, start: int) -> Attend:
    """The encoder's attention: each position sees itself and what came before, in sliding layers `window` positions in all."""

    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        count = query.shape[1]
        slot.append(number, key[0].transpose(0, 1), value[0].transpose(0, 1))
        first = max(0, start - network.window + 1) if network.layers[number].sliding else 0
        rows = torch.arange(start, start + count, device=query.device)[:, None]
        columns = torch.arange(first, start + count, device=query.device)
        mask = columns <= rows
        if network.layers[number].sliding:
            mask &= columns > rows - network.window
        keys, values = slot.keys(number, count)[None, :, first:], slot.values(number, count)[None, :, first:]
        return _attention(query, keys, values, mask)

    return attend


def _bidirectional(slot: Slot, number: int, network: NetworkConfig) -> Attend:
    """The canvas' attention: every position sees the whole canvas and the prefix, in sliding layers its last window - 1 positions."""
    first = max(0, len(slot) - network.window + 1) if network.layers[number].sliding else 0

    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        batch, count = query.shape[:2]
        key, value = key.transpose(1, 2), value.transpose(1, 2)
        if batch == 1:  # behind the prefix, in the slot's spare room: no copy of the prefix, and nothing is committed
            slot.append(number, key[0], value[0])
            keys, values = slot.keys(number, count)[None, :, first:], slot.values(number, count)[None, :, first:]
        else:
            keys = torch.cat([slot.keys(number)[None, :, first:].expand(batch, -1, -1, -1), key], dim=2)
            values = torch.cat([slot.values(number)[None, :, first:].expand(batch, -1, -1, -1), value], dim=2)
        return _attention(query, keys, values, None)

    return attend


def _attention(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    """Queries [B, C, heads, d] over keys and values [B, kv_heads, K, d] → [B, C, heads · d]. The scale is 1: q and k are normed.

    The heads that share a key head are laid out as further queries of it, so that keys are never repeated.
    """
    batch, count, heads, dim = query.shape
    kv = keys.shape[1]
    groups = heads // kv
    folded = query.view(batch, count, kv, groups, dim).permute(0, 2, 3, 1, 4).reshape(batch, kv, groups * count, dim)
    repeated = mask.repeat(groups, 1) if mask is not None else None
    out = F.scaled_dot_product_attention(folded, keys, values, attn_mask=repeated, scale=1.0)
    return out.view(batch, kv, groups, count, dim).permute(0, 3, 1, 2, 4).reshape(batch, count, heads * dim)
