"""Any other folder of DiffusionGemma's form: what its own config and generation config say, uniform noise, plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dg_engine.profiles.base import HoleSize, Profile, Sampler, Stop


def generic(text_config: Mapping[str, Any], generation: Mapping[str, Any], canvas_length: int) -> Profile:
    """A profile from the two configs; keys that are missing take the release's published defaults."""
    sampler = generation.get("sampler_config") or {}
    hole = max(1, canvas_length // 3)
    passes = int(generation.get("max_denoising_steps", 48))
    return Profile(
        name="diffusiongemma",
        languages=(),
        max_context=min(2048, int(text_config.get("max_position_embeddings", 2048)) - canvas_length),
        start_ids=(int(text_config.get("bos_token_id", 2)),),
        end_of_file=None,
        end_marks=frozenset(_ids(text_config, "eos_token_id") + _ids(text_config, "pad_token_id")),
        noise="uniform",
        pin_belief_from=2,
        sampler=Sampler(
            entropy_bound=float(sampler.get("entropy_bound", 0.1)),
            first_temperature=float(generation.get("t_max", 0.8)),
            last_temperature=float(generation.get("t_min", 0.4)),
        ),
        stop=Stop(
            stability=int(generation.get("stability_threshold", 1)),
            confidence=float(generation.get("confidence_threshold", 0.005)),
        ),
        line=HoleSize(hole=min(32, hole), pins=min(64, canvas_length - hole), passes=passes),
        block=HoleSize(hole=canvas_length - min(64, hole), pins=min(64, hole), passes=passes),
    )


def _ids(config: Mapping[str, Any], key: str) -> list[int]:
    value = config.get(key)
    if value is None:
        return []
    return [int(v) for v in value] if isinstance(value, list) else [int(value)]
