"""The trainable network: our trunk's arithmetic with gradients, parameters under the checkpoint's names.

Experts are kept one matrix each, since an optimizer for matrices wants them so; export stacks them again. What inference folds once
(norms into projections, q, k and v, all that reads the residual after attention) is folded at each step, with gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812  everybody's name for it
from torch import Tensor
from torch.nn import Parameter

from dg_engine.backbone.experts import dense_down, gelu, route
from dg_engine.backbone.rope import RopeTable, rotate
from dg_engine.loading.config import LayerConfig, NetworkConfig, Rope

Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Prefixes:
    """Keys and values of encoded prefixes, by layer [n, kv_heads, P, d]."""

    layers: list[Pair]


@dataclass(frozen=True)
class _Fused:
    """One layer's weights as its products read them."""

    qkv: Tensor
    head_scale: Tensor
    output: Tensor
    post_attention: Tensor
    fused: Tensor
    splits: list[int]
    down: Tensor
    experts_down: Tensor
    per_expert_scale: Tensor
    post_dense: Tensor
    post_experts: Tensor
    post_feedforward: Tensor


class Network:
    """Parameters by name, and what is computed from them."""

    def __init__(self, config: NetworkConfig, tensors: Mapping[str, Tensor], device: torch.device | None = None) -> None:
        """`tensors` are in fp32, under the names that `dg_engine.training.folder` gives them."""
        self.config, self.device = config, device or torch.device("cpu")
        self.parameters: dict[str, Parameter] = {}
        self.scalars: dict[str, Tensor] = {}
        for name, tensor in tensors.items():
            value = tensor.detach().to(self.device, torch.float32).clone()
            if name.endswith("layer_scalar"):
                self.scalars[name] = value  # fixed in the published model too
            else:
                self.parameters[name] = Parameter(value)
        self._ropes: dict[tuple[Rope, int], RopeTable] = {
            key: RopeTable(*key, self.device, torch.float32)
            for key in {(layer.rope, layer.head_dim) for layer in config.layers}
        }
        self._layers: list[_Fused] = []
        self._condition_up = torch.empty(0)

    @property
    def embedding(self) -> Parameter:
        """The tied embedding [V, H]."""
        return self.parameters["embed_tokens.weight"]

    def fuse(self) -> None:
        """Fold the parameters anew: once a step, before anything is computed from them."""
        self._layers = [self._fuse(number) for number in range(len(self.config.layers))]
        before = self.parameters["self_conditioning.pre_norm.weight"]
        gate, up = (self.parameters[f"self_conditioning.{part}_proj.weight"] for part in ("gate", "up"))
        self._condition_up = torch.cat([gate, up]) * before

    def encode(self, ids: Tensor) -> tuple[Tensor, Prefixes]:
        """Ids [n, P] → causal hidden states [n, P, H] and the keys and values of all layers."""
        count, cache = ids.shape[1], []
        hidden = self.embed(ids)
        for number, layer in enumerate(self._layers):
            shape = self.config.layers[number]
            query, key, value = self._heads(layer, shape, hidden, self._rope(shape)(0, count))
            keys, values = key.transpose(1, 2), value.transpose(1, 2)
            cache.append((keys, values))
            mixed = _causal(query, keys, values, self.config.window if shape.sliding else count)
            hidden = self._rest(layer, hidden, mixed, self.scalars[f"encoder.layers.{number}.layer_scalar"])
        return self._last_norm(hidden), Prefixes(cache)

    def canvas(self, ids: Tensor, beliefs: Tensor, prefixes: Prefixes, owner: Tensor, lengths: Tensor) -> Tensor:
        """Canvases [m, C] with beliefs [m, C, H] → hidden states [m, C, H].

        Canvas j stands behind the first `lengths[j]` tokens of prefix `owner[j]`: causal keys do not depend on what follows them, so that
        one encoded prefix serves cuts at all its places.
        """
        hidden = self._condition(self.embed(ids), beliefs)
        positions = lengths[:, None] + torch.arange(ids.shape[1], device=ids.device)
        ropes = {key: _rows(table, positions) for key, table in self._ropes.items()}
        masks = self._masks(prefixes, lengths, ids.shape[1])
        for number, layer in enumerate(self._layers):
            shape = self.config.layers[number]
            query, key, value = self._heads(layer, shape, hidden, ropes[shape.rope, shape.head_dim])
            keys, values = (
                torch.cat([old.index_select(0, owner), new.transpose(1, 2)], dim=2)
                for old, new in zip(prefixes.layers[number], (key, value), strict=True)
            )
            mixed = _folded(query, keys, values, masks[shape.sliding])
            hidden = self._rest(layer, hidden, mixed, self.scalars[f"layers.{number}.layer_scalar"])
        return self._last_norm(hidden)

    def embed(self, ids: Tensor) -> Tensor:
        """Ids [...] → scaled embeddings [..., H]."""
        scale: float = self.config.hidden**0.5
        return F.embedding(ids, self.embedding) * scale

    def expect(self, probabilities: Tensor) -> Tensor:
        """Probabilities [..., V] → expected scaled embeddings [..., H]."""
        scale: float = self.config.hidden**0.5
        return probabilities @ self.embedding * scale

    def head(self, rows: Tensor) -> Tensor:
        """Hidden states [R, H] → capped logits [R, V]."""
        logits = F.linear(rows, self.embedding).float()  # under autocast the product is bf16, the cap must not be
        cap = self.config.softcap
        return logits if cap is None else torch.tanh(logits / cap) * cap

    def _condition(self, embeddings: Tensor, beliefs: Tensor) -> Tensor:
        gate, up = F.linear(_norm(beliefs, self.config.eps), self._condition_up).chunk(2, dim=-1)
        signal = F.linear(gelu(gate) * up, self.parameters["self_conditioning.down_proj.weight"])
        return _norm(embeddings + signal, self.config.eps)

    def _heads(self, layer: _Fused, shape: LayerConfig, hidden: Tensor, rope: Pair) -> tuple[Tensor, Tensor, Tensor]:
        heads, kv, eps = self.config.heads, shape.kv_heads, self.config.eps
        raw = F.linear(_norm(hidden, eps), layer.qkv).unflatten(-1, (-1, shape.head_dim))
        if not shape.sliding:  # the values are the keys before their norm
            raw = torch.cat([raw, raw[..., heads:, :]], dim=-2)
        normed = _norm(raw, eps) * layer.head_scale
        turned = rotate(normed[..., : heads + kv, :], *rope)
        return turned[..., :heads, :], turned[..., heads:, :], normed[..., heads + kv :, :]

    def _rest(self, layer: _Fused, hidden: Tensor, mixed: Tensor, scalar: Tensor) -> Tensor:
        """Residual [B, n, H] and attended heads [B, n, heads · d] → the layer's output [B, n, H]."""
        eps, config = self.config.eps, self.config
        hidden = hidden + _norm(F.linear(mixed, layer.output), eps) * layer.post_attention
        flat = _norm(hidden, eps).flatten(0, -2)
        gate, up, scores, experts = F.linear(flat, layer.fused).split(layer.splits, dim=-1)
        dense = _norm(F.linear(gelu(gate) * up, layer.down), eps) * layer.post_dense
        weights, index = route(scores, config.top_k, layer.per_expert_scale)
        mixture = dense_down(experts.unflatten(-1, (config.experts, -1)), weights, index, layer.experts_down)
        both = dense + _norm(mixture, eps) * layer.post_experts
        return (hidden + (_norm(both, eps) * layer.post_feedforward).view_as(hidden)) * scalar

    def _last_norm(self, hidden: Tensor) -> Tensor:
        return _norm(hidden, self.config.eps) * self.parameters["norm.weight"]

    def _rope(self, shape: LayerConfig) -> RopeTable:
        return self._ropes[shape.rope, shape.head_dim]

    def _masks(self, prefixes: Prefixes, lengths: Tensor, width: int) -> dict[bool, Tensor]:
        """By kind of layer: 0 where a canvas sees a key, else -inf [m, 1, 1, P + C]."""
        size = prefixes.layers[0][0].shape[2]
        place = torch.arange(size, device=lengths.device)
        masks = {}
        for sliding in {layer.sliding for layer in self.config.layers}:
            hidden = place >= lengths[:, None]
            if sliding:
                hidden = hidden | (place <= lengths[:, None] - self.config.window)
            mask = torch.zeros(len(lengths), size + width, device=lengths.device)
            mask[:, :size].masked_fill_(hidden, -torch.inf)
            masks[sliding] = mask[:, None, None]
        return masks

    def _fuse(self, number: int) -> _Fused:
        config, shape = self.config, self.config.layers[number]

        def get(name: str) -> Tensor:
            return self.parameters[f"layers.{number}.{name}"]

        parts = ["q", "k", "v"] if shape.sliding else ["q", "k"]
        k_norm = get("self_attn.k_norm.weight")
        scale = [get("self_attn.q_norm.weight").expand(config.heads, -1), k_norm.expand(shape.kv_heads, -1)]
        before, before_experts = get("pre_feedforward_layernorm.weight"), get("pre_feedforward_layernorm_2.weight")
        readers = [
            get("mlp.gate_proj.weight") * before,
            get("mlp.up_proj.weight") * before,
            get("router.proj.weight") * get("router.scale") * config.hidden**-0.5,
            torch.cat([get(f"experts.gate_up_proj.{e}") for e in range(config.experts)]) * before_experts,
        ]
        return _Fused(
            qkv=torch.cat([get(f"self_attn.{part}_proj.weight") for part in parts]) * get("input_layernorm.weight"),
            head_scale=torch.cat([*scale, torch.ones_like(k_norm).expand(shape.kv_heads, -1)]),
            output=get("self_attn.o_proj.weight"),
            post_attention=get("post_attention_layernorm.weight"),
            fused=torch.cat(readers),
            splits=[len(reader) for reader in readers],
            down=get("mlp.down_proj.weight"),
            experts_down=torch.cat([get(f"experts.down_proj.{e}") for e in range(config.experts)], dim=1),
            per_expert_scale=get("router.per_expert_scale"),
            post_dense=get("post_feedforward_layernorm_1.weight"),
            post_experts=get("post_feedforward_layernorm_2.weight"),
            post_feedforward=get("post_feedforward_layernorm.weight"),
        )


def _norm(x: Tensor, eps: float) -> Tensor:
    """RMS norm over the last dimension, without a weight."""
    return F.rms_norm(x, x.shape[-1:], None, eps)


def _rows(table: RopeTable, positions: Tensor) -> Pair:
    """Cosines and signed sines of positions [m, C], each [m, C, 1, d]."""
    cos, sin = table(0, int(positions.max()) + 1)
    return cos[positions], sin[positions]


def _causal(query: Tensor, keys: Tensor, values: Tensor, window: int) -> Tensor:
    """Queries [n, P, heads, d] over keys and values [n, kv_heads, P, d], each up to its own place → [n, P, heads · d]."""
    count, heads = query.shape[1:3]
    groups = heads // keys.shape[1]
    keys, values = keys.repeat_interleave(groups, dim=1), values.repeat_interleave(groups, dim=1)
    mask = None
    if count > window:
        place = torch.arange(count, device=query.device)
        hidden = (place > place[:, None]) | (place <= place[:, None] - window)
        mask = torch.zeros(count, count, device=query.device).masked_fill_(hidden, -torch.inf)
    out = F.scaled_dot_product_attention(query.transpose(1, 2), keys, values, mask, is_causal=mask is None, scale=1.0)
    return out.transpose(1, 2).flatten(2)


def _folded(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Queries [m, C, heads, d] over keys and values [m, kv_heads, K, d], mask [m, 1, 1, K] → [m, C, heads · d].

    Heads that share a key head are laid out as further queries of it.
    """
    batch, count, heads, dim = query.shape
    kv = keys.shape[1]
    folded = query.view(batch, count, kv, -1, dim).permute(0, 2, 3, 1, 4).reshape(batch, kv, -1, dim)
    out = F.scaled_dot_product_attention(folded, keys, values, mask, scale=1.0)
    return out.view(batch, kv, heads // kv, count, dim).permute(0, 3, 1, 2, 4).reshape(batch, count, heads * dim)
