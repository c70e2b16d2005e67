"""One layer of our trunk, used causally by the encoder and bidirectionally by the canvas.

The norms before a projection are folded into it: q, k and v are one product, and so is all that reads the residual after the
attention (dense gate and up, router, and the experts' gate and up where there are few experts).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor

from dg_engine.backbone.attention import EVERY, Attend
from dg_engine.backbone.experts import DENSE_AT_MOST, dense_down, gelu, grouped, route
from dg_engine.backbone.rope import rotate
from dg_engine.loading.config import LayerConfig, NetworkConfig
from dg_engine.loading.weights import Weights


class Layer:
    """Weights and arithmetic of one layer."""

    def __init__(self, number: int, network: NetworkConfig, weights: Weights) -> None:
        self.network, self.shape = network, network.layers[number]
        self._prefix, self._weights = f"layers.{number}.", weights
        self._load_attention(network, self.shape)
        self._load_feedforward(network)
        self.encoder_scalar = weights.encoder(f"{self._prefix}layer_scalar", (1,))
        self.decoder_scalar = weights.decoder(f"{self._prefix}layer_scalar", (1,))
        del self._weights

    def __call__(
        self, hidden: Tensor, rope: tuple[Tensor, Tensor], attend: Attend, scalar: Tensor, wanted: slice = EVERY
    ) -> Tensor:
        """Hidden states [B, n, H] → those of the wanted positions; keys and values are made of all."""
        query, key, value = self._heads(hidden, rope)
        hidden = hidden[:, wanted]
        if not hidden.shape[1]:
            attend(query[:, wanted], key, value, wanted)
            return hidden
        mixed = F.linear(attend(query[:, wanted], key, value, wanted), self.output)
        hidden = hidden + _norm(mixed, self.post_attention, self.network.eps)
        return (hidden + self._feedforward(hidden)) * scalar

    def _heads(self, hidden: Tensor, rope: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        heads, kv, eps = self.network.heads, self.shape.kv_heads, self.network.eps
        raw = F.linear(_norm(hidden, None, eps), self.qkv).unflatten(-1, (-1, self.shape.head_dim))
        if not self.shape.sliding:  # the values are the keys before their norm
            raw = torch.cat([raw, raw[..., heads:, :]], dim=-2)
        normed = _norm(raw, None, eps) * self.head_scale
        turned = rotate(normed[..., : heads + kv, :], *rope)
        return turned[..., :heads, :], turned[..., heads:, :], normed[..., heads + kv :, :]

    def _feedforward(self, hidden: Tensor) -> Tensor:
        eps = self.network.eps
        flat = _norm(hidden, None, eps).flatten(0, -2)
        gate, up, scores, *experts = F.linear(flat, self.fused).split(self.splits, dim=-1)
        dense = _norm(F.linear(gelu(gate) * up, self.down), self.post_dense, eps)
        weights, index = route(scores, self.network.top_k, self.per_expert_scale)
        if experts:
            mixture = dense_down(experts[0].unflatten(-1, (self.network.experts, -1)), weights, index, self.experts_down)
        else:
            mixture = grouped(flat, weights, index, self.experts_gate_up, self.experts_down)
        both = dense + _norm(mixture, self.post_experts, eps)
        return _norm(both, self.post_feedforward, eps).view_as(hidden)

    def _load_attention(self, network: NetworkConfig, shape: LayerConfig) -> None:
        hidden, dim = network.hidden, shape.head_dim
        query, kv = network.heads * dim, shape.kv_heads * dim
        parts = [self._get("self_attn.q_proj.weight", query, hidden), self._get("self_attn.k_proj.weight", kv, hidden)]
        if shape.sliding:
            parts.append(self._get("self_attn.v_proj.weight", kv, hidden))
        self.qkv = torch.cat(parts) * self._get("input_layernorm.weight", hidden)
        q_norm, k_norm = self._get("self_attn.q_norm.weight", dim), self._get("self_attn.k_norm.weight", dim)
        ones = torch.ones_like(k_norm).expand(shape.kv_heads, -1)
        self.head_scale = torch.cat([q_norm.expand(network.heads, -1), k_norm.expand(shape.kv_heads, -1), ones])
        self.output = self._get("self_attn.o_proj.weight", hidden, query)
        self.post_attention = self._get("post_attention_layernorm.weight", hidden)

    def _load_feedforward(self, network: NetworkConfig) -> None:
        hidden, inter, experts, width = network.hidden, network.intermediate, network.experts, network.expert_width
        before, before_experts = (
            self._get("pre_feedforward_layernorm.weight", hidden),
            self._get("pre_feedforward_layernorm_2.weight", hidden),
        )
        self.per_expert_scale = self._get("router.per_expert_scale", experts)
        router = self._get("router.proj.weight", experts, hidden) * self._get("router.scale", hidden) * hidden**-0.5
        gate_up = self._get("experts.gate_up_proj", experts, 2 * width, hidden) * before_experts
        down = self._get("experts.down_proj", experts, hidden, width)
        parts = [
            self._get("mlp.gate_proj.weight", inter, hidden) * before,
            self._get("mlp.up_proj.weight", inter, hidden) * before,
            router,
        ]
        if experts <= DENSE_AT_MOST:
            parts.append(gate_up.flatten(0, 1))
            self.experts_down = down.permute(1, 0, 2).reshape(hidden, -1).contiguous()
        else:
            self.experts_gate_up, self.experts_down = gate_up, down
        self.splits = [len(part) for part in parts]
        self.fused = torch.cat(parts)
        self.down = self._get("mlp.down_proj.weight", hidden, inter)
        self.post_dense = self._get("post_feedforward_layernorm_1.weight", hidden)
        self.post_experts = self._get("post_feedforward_layernorm_2.weight", hidden)
        self.post_feedforward = self._get("post_feedforward_layernorm.weight", hidden)

    def _get(self, name: str, *shape: int) -> Tensor:
        return self._weights.shared(self._prefix + name, shape)


def _norm(x: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    """RMS norm over the last dimension."""
    return F.rms_norm(x, x.shape[-1:], weight, eps)
