"""A model folder in Hugging Face layout, checked before any weight is read. Imports no torch.

Every check ends in one sentence that names the file and says what to do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dg_engine.errors import ModelError
from dg_engine.loading.config import ARCHITECTURE, NetworkConfig, network_config
from dg_engine.loading.shards import find_shards
from dg_engine.loading.sound import reading

_SHARE_OF_IDS = 0.9
"""Of a network's rows, as many have a token at least; some are left free to make their number round."""


@dataclass(frozen=True)
class ModelFolder:
    """A folder that looks loadable."""

    path: Path
    config: Mapping[str, Any]
    generation: Mapping[str, Any]
    weight_files: tuple[Path, ...]
    tokenizer_file: Path

    @cached_property
    def network(self) -> NetworkConfig:
        """The network's shapes."""
        return network_config(self.config, str(self.path / "config.json"))


def open_folder(path: Path) -> ModelFolder:
    """Check a folder and read its small files. Raises ModelError."""
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise ModelError(f"The model folder {path} {what}; give a folder with config.json, *.safetensors and tokenizer.json.")
    with reading(path):
        return _opened(path)


def _opened(path: Path) -> ModelFolder:
    config = _json(path / "config.json", needed=True)
    architectures = config.get("architectures")
    architectures = architectures if isinstance(architectures, list) else []
    if ARCHITECTURE not in architectures:
        named = ", ".join(map(str, architectures)) or "none"
        raise ModelError(f"{path / 'config.json'} names the architecture {named}; only {ARCHITECTURE} can be loaded.")
    tokenizer = path / "tokenizer.json"
    folder = ModelFolder(
        path=path,
        config=config,
        generation=_json(path / "generation_config.json", needed=False),
        weight_files=find_shards(path),
        tokenizer_file=tokenizer,
    )
    with reading(path / "config.json"):
        vocabulary = folder.network.vocabulary
        if not folder.network.layers:
            raise ValueError("layer_types names no layer")
    with reading(tokenizer):
        _check_tokenizer(tokenizer, vocabulary)
    return folder


def _json(file: Path, *, needed: bool) -> Mapping[str, Any]:
    if not file.is_file():
        if needed:
            raise ModelError(f"{file} is missing; a model folder needs it.")
        return {}
    try:
        tree = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} cannot be read as JSON ({error}); fetch it again.") from None
    if not isinstance(tree, dict):
        raise ModelError(f"{file} holds no JSON object; fetch it again.")
    return tree


def _check_tokenizer(file: Path, vocabulary: int) -> None:
    """The highest id must be one that the network knows: an embedding lookup would fail in the middle of a job."""
    tree = _json(file, needed=True)
    model = tree.get("model")
    ids = [0]
    if isinstance(model, dict) and isinstance(model.get("vocab"), dict):
        ids += [id_ for id_ in model["vocab"].values() if isinstance(id_, int)]
    ids += [
        token["id"] for token in tree.get("added_tokens") or [] if isinstance(token, dict) and isinstance(token.get("id"), int)
    ]
    if len(ids) == 1:
        raise ModelError(f"{file} holds no vocabulary; take the tokenizer.json that belongs to the weights.")
    if len(set(ids)) < vocabulary * _SHARE_OF_IDS:
        raise ModelError(
            f"{file} has {len(set(ids))} tokens, the network {vocabulary}; take the tokenizer.json that belongs to the weights."
        )
    if max(ids) >= vocabulary:
        raise ModelError(
            f"{file} has ids up to {max(ids)}, the network knows {vocabulary}; take the tokenizer.json that belongs to the weights."
        )
