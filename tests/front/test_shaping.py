"""The rules by their golden cases, one file a rule, and all of them in a row."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dg_engine.messages import Span
from dg_lsp.shaping import indentation
from dg_lsp.shaping.brackets import brackets
from dg_lsp.shaping.pipeline import RULES, confidence, shape
from dg_lsp.shaping.spot import Spot

GOLDEN = Path(__file__).parent / "golden"
Case = dict[str, Any]


def cases(rule: str) -> list[Case]:
    """The cases of a rule's file."""
    found: list[Case] = tomllib.loads((GOLDEN / f"{rule}.toml").read_text(encoding="utf-8"))["case"]
    return found


def spot(case: Case) -> Spot:
    """The spot of a case."""
    before, after = case["at"].split("‸")
    return Spot(before, after, case.get("max_lines", 99), case.get("confidence", 1.0), case.get("threshold", 0.0))


GOLDEN_CASES = [pytest.param(rule, case, id=f"{rule.NAME}: {case['name']}") for rule in RULES for case in cases(rule.NAME)]


@pytest.mark.parametrize(("rule", "case"), GOLDEN_CASES)
def test_golden(rule: Any, case: Case) -> None:
    """A rule does what its file says, and doing it again changes nothing."""
    shown = rule.apply(case["text"], spot(case))
    assert shown == case["shown"]
    assert rule.apply(shown, spot(case)) == shown


def test_every_rule_has_a_file_and_every_file_a_rule() -> None:
    """Names are the link."""
    assert {path.stem for path in GOLDEN.glob("*.toml")} == {rule.NAME for rule in RULES}


pieces = st.lists(
    st.sampled_from(["x", "foo", " ", "    ", "\n", "(", ")", "[", "]", ", ", "'", ":", "\t", "return"]), max_size=8
).map("".join)


@given(before=pieces, after=pieces, text=pieces)
@example(before=" ", after="", text="\tx")  # a tab becomes blanks first, and is a level then
def test_whatever_comes_in(before: str, after: str, text: str) -> None:
    """What is shown is never blank, never opens with a level inside indentation, and has no more lines than asked for."""
    place = Spot(before, after, max_lines=3)
    shown = shape(text, place)
    assert not shown or shown.strip()
    assert shown.count("\n") < 3
    lead = place.line_before
    if lead and not lead.strip():
        assert not shown.startswith(indentation.of(before + after).unit)


def test_confidence_is_a_geometric_mean() -> None:
    """One when nothing is reported."""
    assert confidence([]) == 1.0
    assert confidence([Span(1, 0.5), Span(2, 0.5)]) == pytest.approx(0.5)
    assert confidence([Span(1, 1.0), Span(2, 0.25)]) == pytest.approx(0.5)
    assert confidence([Span(1, 0.0)]) < 1e-6


def test_brackets_in_strings_and_comments_do_not_count() -> None:
    text = "f('(', \"\\\")\", [x]) # (\n'''({''' )\n'(\n)"
    assert "".join(char for _, char in brackets(text)) == "([]))" + ")"


def test_no_rule_holds_up_a_key_in_a_large_class() -> None:
    """A scan goes from sign to sign that matters, not from character to character: some thousand steps here."""
    body = "    def method(self, a, b):\n        return self.table[a](b, {'k': [1, 2]})\n\n"
    before = "class Large:\n" + body * 300 + "    def last(self):\n        return call("
    started = time.process_time()
    for _ in range(20):
        assert shape("value)", Spot(before[-24_000:], ")\n" + body * 60)) == "value"
    assert time.process_time() - started < 2
