"""What one fill came to, and how it is timed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dg_bench.items import Item
from dg_engine.model import Model
from dg_engine.profiles.base import Profile
from dg_engine.profiles.generic import generic


@dataclass(frozen=True)
class Filled:
    """A text, the milliseconds it took, the passes it needed."""

    text: str
    ms: float
    passes: int


def canvas_length(model: Model, item: Item) -> int:
    """Positions of the canvas that our filler makes for an item's line: the hole, and as many pins as the suffix gives."""
    size = model.profile.line
    return size.hole + min(size.pins, len(model.tokenizer.encode(item.suffix)))


def as_generate_does(model: Model) -> Profile:
    """The model's profile with `generate`'s noise, and the sampler, stop rule and passes of the folder's generation config."""
    theirs = generic(model.folder.config["text_config"], model.folder.generation, int(model.folder.config["canvas_length"]))
    line = replace(model.profile.line, passes=theirs.line.passes)
    return replace(model.profile, noise=theirs.noise, sampler=theirs.sampler, stop=theirs.stop, line=line)


def exactly(profile: Profile, passes: int) -> Profile:
    """The same, but never done before so many passes: a pass has fewer than that many before it to agree with."""
    line = replace(profile.line, passes=passes)
    return replace(profile, line=line, stop=replace(profile.stop, stability=passes))
