"""Our trunk: safetensors by name, one list of layers for encoder and canvas, no vision tower, no transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor

from dg_engine.backbone.attention import EVERY, CanvasAttention, CausalAttention
from dg_engine.backbone.experts import gelu
from dg_engine.backbone.layer import Layer
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
    def encode(self, ids: Tensor, slot: Slot, rows: int | None = None) -> Tensor:
        """ids [n] → [n, H], or the last `rows` of them; appends and commits their KV."""
        start, count = len(slot), len(ids)
        attention = CausalAttention(slot, self.network, count)
        hidden = self.embed(ids)[None]
        for number, layer in enumerate(self._layers):
            wanted = slice(count - rows, count) if rows is not None and layer is self._layers[-1] else EVERY
            attend = attention.of(number)
            hidden = layer(hidden, self._rope(number, start, count), attend, layer.encoder_scalar, wanted)
        slot.commit(ids.tolist())
        return F.rms_norm(hidden[0], (self.hidden_size,), self._norm, self.network.eps)

    @torch.inference_mode()
    def refine(self, ids: Tensor, beliefs: Tensor, slots: Sequence[Slot], rows: int | None = None) -> Tensor:
        """ids [B, C], beliefs [B, C, H] → [B, C, H], or the first `rows` positions of them."""
        if any(slot is not slots[0] for slot in slots):
            return torch.cat([self.refine(ids[b : b + 1], beliefs[b : b + 1], [slot], rows) for b, slot in enumerate(slots)])
        attention = CanvasAttention(slots[0], self.network)
        hidden = self._condition(self.embed(ids), beliefs)
        for number, layer in enumerate(self._layers):
            wanted = slice(0, rows) if layer is self._layers[-1] else EVERY
            rope = self._rope(number, len(slots[0]), ids.shape[1])
            hidden = layer(hidden, rope, attention.of(number), layer.decoder_scalar, wanted)
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
