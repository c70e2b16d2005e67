"""Which profile a model folder gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dg_engine.profiles.base import Profile
from dg_engine.profiles.generic import generic
from dg_engine.profiles.starter import BOS, EOS, MASK, PAD, STARTER


def choose_profile(config: Mapping[str, Any], generation: Mapping[str, Any], special_tokens: Mapping[str, int]) -> Profile:
    """The starter's for a tokenizer with a `<fim>` mask token, else one made of the folder's own configs.

    Raises ValueError when the starter's special tokens have other ids than it was trained with.
    """
    if "<fim>" in special_tokens:
        trained = {"<pad>": PAD, "<eos>": EOS, "<bos>": BOS, "<fim>": MASK}
        if other := {name: special_tokens.get(name) for name, id_ in trained.items() if special_tokens.get(name) != id_}:
            raise ValueError(f"the tokenizer's {other}, and the starter was trained with {trained}")
        return STARTER
    return generic(config["text_config"], generation, int(config.get("canvas_length", 256)))
