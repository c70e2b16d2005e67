"""Models for the engine's tests, made once a session: the starter, and a tiny random one of the release's form."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from dg_engine.backbone.base import Backbone
from dg_engine.loading import builtin_folder, open_folder
from dg_engine.text.tokenizer import TextTokenizer

TINY_TEXT = {
    "vocab_size": 4096,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "global_head_dim": 16,
    "num_global_key_value_heads": 1,
    "sliding_window": 16,
    "max_position_embeddings": 512,
    "num_experts": 20,
    "top_k_experts": 3,
    "moe_intermediate_size": 8,
    "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
}
VISION = {"model_type": "gemma4_vision", "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
VISION |= {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 16, "patch_size": 16, "position_embedding_size": 8}


def _spread(name: str, tensor: Any) -> float:
    """Wide enough for unlike logits, narrow enough that a rounding error does not grow from pass to pass."""
    if "embed_tokens" in name:
        return 0.5
    return 0.05 if "self_conditioning" in name else float(tensor.shape[-1] ** -0.5)


def write_tiny(folder: Path) -> None:
    """A folder with random weights under the published names: all of the decoder, of the encoder its layer scalars only."""
    import torch  # noqa: PLC0415  collecting these tests must not need torch
    from safetensors.torch import save_file  # noqa: PLC0415
    from transformers import DiffusionGemmaConfig  # noqa: PLC0415

    from dg_engine.backbone.reference import TextOnly  # noqa: PLC0415

    torch.manual_seed(0)
    model = TextOnly(DiffusionGemmaConfig(text_config=TINY_TEXT, vision_config=VISION, canvas_length=24))
    for name, tensor in model.state_dict().items():
        if name.endswith("layer_scalar"):
            tensor.fill_(0.9 if "encoder" in name else 1.1)
        elif tensor.ndim == 1:
            tensor.uniform_(0.5, 1.5)
        else:
            tensor.normal_(0, _spread(name, tensor))
    kept = {
        name: tensor.contiguous()
        for name, tensor in model.state_dict().items()
        if name.startswith("model.decoder.")
        or (name.startswith("model.encoder.language_model.") and name.endswith("layer_scalar"))
    }
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    model.config.architectures = ["DiffusionGemmaForBlockDiffusion"]
    model.config.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(builtin_folder() / name, folder / name)


def load(folder: Path, backbone: str) -> Backbone:
    from dg_engine.loading.load import load_backbone  # noqa: PLC0415  collecting these tests must not need torch

    return load_backbone(open_folder(folder), backbone=backbone, device="cpu", dtype="float32")


@pytest.fixture(scope="session")
def starter_folder() -> Path:
    return builtin_folder()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    write_tiny(folder)
    return folder


@pytest.fixture(scope="session")
def starter_tokenizer(starter_folder: Path) -> TextTokenizer:
    return TextTokenizer.open(starter_folder / "tokenizer.json", 4096)


@pytest.fixture(scope="session")
def own_starter(starter_folder: Path) -> Backbone:
    return load(starter_folder, "own")


@pytest.fixture(scope="session")
def own_tiny(tiny_folder: Path) -> Backbone:
    return load(tiny_folder, "own")


@pytest.fixture(scope="session")
def reference_starter(starter_folder: Path) -> Backbone:
    return load(starter_folder, "reference")


@pytest.fixture(scope="session")
def reference_tiny(tiny_folder: Path) -> Backbone:
    return load(tiny_folder, "reference")


@pytest.fixture(scope="session")
def transformers_starter(reference_starter: Any) -> Any:
    """transformers' own model object, with its `generate`."""
    return reference_starter.model


@pytest.fixture(scope="session")
def transformers_tiny(reference_tiny: Any) -> Any:
    return reference_tiny.model
