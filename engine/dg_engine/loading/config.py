"""The network's shapes, read from a folder's config.json and nowhere else: a library's class defaults differ from the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dg_engine.errors import ModelError

ARCHITECTURE = "DiffusionGemmaForBlockDiffusion"


@dataclass(frozen=True)
class Rope:
    """Rotary embedding of one kind of layer."""

    theta: float
    proportional: bool
    """Frequencies are spread over the whole head and the last ones are zero; else only a head's first part is used."""
    partial: float


@dataclass(frozen=True)
class LayerConfig:
    """Shapes of one layer."""

    sliding: bool
    kv_heads: int
    head_dim: int
    rope: Rope


@dataclass(frozen=True)
class NetworkConfig:
    """Shapes of the whole network."""

    hidden: int
    heads: int
    intermediate: int
    vocabulary: int
    window: int
    experts: int
    top_k: int
    expert_width: int
    eps: float
    softcap: float | None
    layers: tuple[LayerConfig, ...]

    @property
    def parameters(self) -> int:
        """How many numbers the weights hold, tied ones once."""
        per_layer = sum(
            self.hidden * layer.head_dim * (2 * self.heads + layer.kv_heads * (2 if layer.sliding else 1))
            for layer in self.layers
        )
        mlp = 3 * self.hidden * self.intermediate
        experts = 3 * self.hidden * self.expert_width * self.experts + self.hidden * self.experts
        return per_layer + (mlp + experts) * len(self.layers) + mlp + self.hidden * self.vocabulary


def network_config(config: Mapping[str, Any], source: str) -> NetworkConfig:
    """Typed shapes from config.json's tree. `source` names the file in errors. Raises ModelError."""
    text = config.get("text_config")
    if not isinstance(text, dict):
        raise ModelError(f"{source} has no text_config: this is not a DiffusionGemma folder.")
    try:
        return NetworkConfig(
            hidden=int(text["hidden_size"]),
            heads=int(text["num_attention_heads"]),
            intermediate=int(text["intermediate_size"]),
            vocabulary=int(text["vocab_size"]),
            window=int(text["sliding_window"]),
            experts=int(text["num_experts"]),
            top_k=int(text["top_k_experts"]),
            expert_width=int(text["moe_intermediate_size"]),
            eps=float(text["rms_norm_eps"]),
            softcap=_softcap(text),
            layers=tuple(_layer(text, number, kind) for number, kind in enumerate(text["layer_types"])),
        )
    except KeyError as error:
        raise ModelError(
            f"{source} has no {error.args[0]} in text_config; take the config.json that belongs to the weights."
        ) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{source} has a value that does not fit in text_config: {error}.") from None


def _softcap(text: Mapping[str, Any]) -> float | None:
    cap = text.get("final_logit_softcapping", 30.0)
    return None if cap is None else float(cap)


def _layer(text: Mapping[str, Any], number: int, kind: str) -> LayerConfig:
    sliding = kind == "sliding_attention"
    over = _overrides(text, number, sliding=sliding)
    rope = text["rope_parameters"][kind]
    return LayerConfig(
        sliding=sliding,
        kv_heads=int(over.get("num_key_value_heads", text["num_key_value_heads"])),
        head_dim=int(over.get("head_dim", text["head_dim"])),
        rope=Rope(
            theta=float(rope["rope_theta"]),
            proportional=rope.get("rope_type") == "proportional",
            partial=float(rope.get("partial_rotary_factor", 1.0)),
        ),
    )


def _overrides(text: Mapping[str, Any], number: int, *, sliding: bool) -> Mapping[str, Any]:
    """What a layer has otherwise: written per layer, or for all full-attention layers by the older `global` keys."""
    if "per_layer_config" in text:
        per_layer = text["per_layer_config"] or {}
        found: Mapping[str, Any] = per_layer.get(str(number), per_layer.get(number, {}))
        return found
    if sliding:
        return {}
    over = {"head_dim": text["global_head_dim"]}
    if text.get("num_global_key_value_heads") is not None:
        over["num_key_value_heads"] = text["num_global_key_value_heads"]
    return over
