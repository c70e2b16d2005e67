"""All rules in their order."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Final

import msgspec

from dg_engine.messages import Candidate, Span
from dg_lsp.shaping.rules import (
    blank,
    indentation_style,
    inner_indentation,
    leading_blanks,
    lf_only,
    loose_closers,
    max_lines,
    not_confident,
    repeats_below,
    repeats_line,
    trailing_blanks,
)
from dg_lsp.shaping.spot import Spot

log = logging.getLogger(__name__)

RULES: Final = (
    lf_only,
    not_confident,
    max_lines,
    leading_blanks,
    indentation_style,
    inner_indentation,
    repeats_line,
    repeats_below,
    loose_closers,
    trailing_blanks,
    blank,
)


class Acted(msgspec.Struct, frozen=True):
    """A rule that changed a text: its name, and how many characters there were before and after."""

    rule: str
    before: int
    after: int


def shape(text: str, spot: Spot, acted: list[Acted] | None = None) -> str:
    """What is shown of `text` at `spot`; empty for nothing. The rules that changed something are added to `acted`."""
    for rule in RULES:
        shaped = rule.apply(text, spot)
        if shaped != text:
            log.debug("rule %s: %d characters became %d", rule.NAME, len(text), len(shaped))
            if acted is not None:
                acted.append(Acted(rule.NAME, len(text), len(shaped)))
        text = shaped
        if not text:
            break
    return text


def sure_of(candidate: Candidate) -> float:
    """How sure the engine is of a candidate: its judge's score, or what the tokens' probabilities come to."""
    return confidence(candidate.confidence) if candidate.score is None else candidate.score


def confidence(spans: Sequence[Span]) -> float:
    """Geometric mean of the tokens' probabilities; 1 when the engine reports none."""
    if not spans:
        return 1.0
    return math.exp(sum(math.log(max(span.probability, 1e-9)) for span in spans) / len(spans))
