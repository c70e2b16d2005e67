"""The built-in starter: absorbing noise with `<fim>` as its mask, pads end the hole, Python only."""

from __future__ import annotations

from dg_engine.profiles.base import HoleSize, Profile, Sampler, Stop

PAD, EOS, BOS, MASK = 0, 1, 2, 5

STARTER = Profile(
    name="starter",
    languages=("python",),
    max_context=383,
    start_ids=(BOS,),
    end_of_file=EOS,
    end_marks=frozenset({PAD}),
    noise="absorbing",
    mask_id=MASK,
    sampler=Sampler(entropy_bound=0.3, first_temperature=0.4, last_temperature=0.1, acceptance_floor=True),
    stop=Stop(stability=1, confidence=0.3),
    continues=12,
    line=HoleSize(hole=12, pins=12, passes=4),
    block=HoleSize(hole=48, pins=48, passes=8),
)
