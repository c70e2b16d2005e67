"""Whether a profile can be worked with: what is off here would be an endless loop or an empty answer in every job."""

from __future__ import annotations

from dg_engine.profiles.base import Profile

_LEAST_CONTEXT = 8
_LARGEST_CANVAS = 4096


def check_profile(profile: Profile, vocabulary: int) -> None:
    """Raises ValueError with what is off."""
    if profile.max_context < _LEAST_CONTEXT:
        raise ValueError(f"positions for {profile.max_context} tokens of context are left beside the canvas")
    for size in (profile.line, profile.block):
        if size.hole < 1 or size.pins < 0 or size.hole + size.pins > _LARGEST_CANVAS:
            raise ValueError(f"a canvas of {size.hole} + {size.pins} positions")
        if size.passes < 1:
            raise ValueError(f"{size.passes} passes")
    if min(profile.sampler.first_temperature, profile.sampler.last_temperature) <= 0:
        raise ValueError("a temperature that is not above 0")
    ids = [*profile.start_ids, *profile.end_marks, *([profile.mask_id] if profile.mask_id is not None else [])]
    if any(not 0 <= one < vocabulary for one in ids):
        raise ValueError(f"special ids {ids}, and the network knows {vocabulary}")
