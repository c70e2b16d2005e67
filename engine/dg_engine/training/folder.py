"""Weights from a model folder to the trainable network and back: Hugging Face layout, bf16 safetensors, the published names."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from dg_engine.loading.config import NetworkConfig
from dg_engine.loading.folder import ModelFolder, open_folder
from dg_engine.loading.weights import DECODER, ENCODER, Weights
from dg_engine.training.network import Network

COPIED = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")
"""Files of a folder that training does not change."""

_EMBEDDING_SPREAD = 0.02


def load_network(folder: Path) -> Network:
    """A folder's weights, ready to be trained. Raises ModelError."""
    opened = open_folder(folder)
    return Network(opened.network, _read(opened))


def fresh_network(config: NetworkConfig, seed: int) -> Network:
    """New weights: normal matrices, norms and scales of one, and an output projection of zero where a branch ends."""
    generator = torch.Generator().manual_seed(seed)
    tensors: dict[str, Tensor] = {}
    for name, shape in _shapes(config).items():
        if len(shape) == 1:
            tensors[name] = torch.ones(shape)
        else:
            spread = _EMBEDDING_SPREAD if name.startswith("embed") else shape[-1] ** -0.5
            tensors[name] = torch.randn(shape, generator=generator) * spread
    return Network(config, _apart(tensors))


def export(network: Network, like: Path, out: Path) -> None:
    """Write a folder that loads as the one at `like` does, with this network's weights."""
    out.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        if (like / name).exists() and (like / name).resolve() != (out / name).resolve():
            shutil.copy(like / name, out / name)
    stacked = _together(network)
    kept = {_published(name): tensor.to(torch.bfloat16).contiguous().cpu() for name, tensor in stacked.items()}
    partial = out / "model.safetensors.part"
    save_file(kept, partial, metadata={"format": "pt"})
    partial.replace(out / "model.safetensors")


def _read(folder: ModelFolder) -> dict[str, Tensor]:
    weights = Weights(folder, torch.device("cpu"), torch.float32)
    tensors: dict[str, Tensor] = {}
    for name, shape in _shapes(folder.network).items():
        bare = name.removeprefix("encoder.")
        tensors[name] = weights.encoder(bare, shape) if bare != name else weights.decoder(bare, shape)
    return _apart(tensors)


def _published(name: str) -> str:
    bare = name.removeprefix("encoder.")
    return f"{ENCODER}{bare}" if bare != name else f"{DECODER}{name}"


def _apart(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stacked experts [E, …] become one matrix each, named by their number."""
    out: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if ".experts." in name:
            out |= {f"{name}.{number}": matrix for number, matrix in enumerate(tensor)}
        else:
            out[name] = tensor
    return out


def _together(network: Network) -> dict[str, Tensor]:
    """The inverse: experts stacked again, layer scalars beside the parameters."""
    held = {**network.parameters, **network.scalars}
    out: dict[str, Tensor] = {}
    for name, shape in _shapes(network.config).items():
        experts = ".experts." in name
        out[name] = (torch.stack([held[f"{name}.{e}"] for e in range(shape[0])]) if experts else held[name]).detach()
    return out


def _shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """All tensors of a network and their shapes, under the names of one side."""
    hidden, inter = config.hidden, config.intermediate
    shapes: dict[str, tuple[int, ...]] = {
        "embed_tokens.weight": (config.vocabulary, hidden),
        "norm.weight": (hidden,),
        "self_conditioning.pre_norm.weight": (hidden,),
        "self_conditioning.gate_proj.weight": (inter, hidden),
        "self_conditioning.up_proj.weight": (inter, hidden),
        "self_conditioning.down_proj.weight": (hidden, inter),
    }
    for number in range(len(config.layers)):
        shapes |= {f"layers.{number}.{name}": shape for name, shape in _layer_shapes(config, number).items()}
        shapes[f"encoder.layers.{number}.layer_scalar"] = (1,)
    return shapes


def _layer_shapes(config: NetworkConfig, number: int) -> dict[str, tuple[int, ...]]:
    shape, hidden, inter = config.layers[number], config.hidden, config.intermediate
    query, kv = config.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    norms = ("input", "post_attention", "pre_feedforward", "post_feedforward")
    numbered = ("post_feedforward_layernorm_1", "post_feedforward_layernorm_2", "pre_feedforward_layernorm_2")
    shapes: dict[str, tuple[int, ...]] = {f"{name}_layernorm.weight": (hidden,) for name in norms}
    shapes |= {f"{name}.weight": (hidden,) for name in numbered}
    shapes |= {"self_attn.q_proj.weight": (query, hidden), "self_attn.k_proj.weight": (kv, hidden)}
    if shape.sliding:
        shapes["self_attn.v_proj.weight"] = (kv, hidden)
    shapes |= {
        "self_attn.o_proj.weight": (hidden, query),
        "self_attn.q_norm.weight": (shape.head_dim,),
        "self_attn.k_norm.weight": (shape.head_dim,),
        "mlp.gate_proj.weight": (inter, hidden),
        "mlp.up_proj.weight": (inter, hidden),
        "mlp.down_proj.weight": (hidden, inter),
        "router.proj.weight": (config.experts, hidden),
        "router.scale": (hidden,),
        "router.per_expert_scale": (config.experts,),
        "experts.gate_up_proj": (config.experts, 2 * config.expert_width, hidden),
        "experts.down_proj": (config.experts, hidden, config.expert_width),
        "layer_scalar": (1,),
    }
    return shapes
