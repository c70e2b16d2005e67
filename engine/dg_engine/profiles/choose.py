"""Which profile a model folder gets."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dg_engine.profiles.base import Profile
from dg_engine.profiles.generic import generic
from dg_engine.profiles.starter import STARTER


def choose_profile(config: Mapping[str, Any], generation: Mapping[str, Any], special_tokens: Collection[str]) -> Profile:
    """The starter's for a tokenizer with a `<fim>` mask token, else one made of the folder's own configs."""
    if "<fim>" in special_tokens:
        return STARTER
    return generic(config["text_config"], generation, int(config.get("canvas_length", 256)))
