"""The encoder's window: what it holds, and that typing does not move it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dg_engine.prefix.window import Anchor, choose_window

BUDGET = 50


def words(text: str) -> list[int]:
    """One id a word or line break: enough of a tokenizer to count with."""
    return [len(w) for w in text.replace("\n", " \n ").split(" ") if w]


def source(functions: int) -> str:
    return "".join(f"def f{i}(x):\n    y = x + {i}\n    return y\n\n" for i in range(functions))


@given(text=st.text(alphabet="ab \n", max_size=2000), start=st.integers(0, 1000))
def test_the_window_fits_and_ends_at_the_cursor(text: str, start: int) -> None:
    window = choose_window(text, start, BUDGET, words, None)
    assert len(window.ids) <= BUDGET
    assert text.endswith(window.text)
    assert window.anchor.offset == start + len(text) - len(window.text)


def test_a_short_file_is_seen_whole() -> None:
    window = choose_window("a = 1\n", 0, BUDGET, words, None)
    assert window.text == "a = 1\n"


def test_a_long_file_starts_at_a_block() -> None:
    window = choose_window(source(40), 0, BUDGET, words, None)
    assert window.text.startswith("def f")
    assert BUDGET // 4 <= len(window.ids) <= BUDGET


def test_typing_keeps_the_anchor_until_the_window_is_full() -> None:
    text, anchor, moved = source(40), None, 0
    for _ in range(60):
        window = choose_window(text, 0, BUDGET, words, anchor)
        moved += anchor is not None and window.anchor.offset != anchor.offset
        anchor = window.anchor
        text += "word "
    assert 1 <= moved <= 4


def test_an_edit_above_the_window_does_not_move_it() -> None:
    text = source(40)
    before = choose_window(text, 0, BUDGET, words, None)
    after = choose_window("import os\n" + text, 0, BUDGET, words, before.anchor)
    assert after.text == before.text


def test_a_jump_to_another_place_starts_anew() -> None:
    text = source(80)
    low = choose_window(text, 0, BUDGET, words, None)
    high = choose_window(text[: len(text) // 2], 0, BUDGET, words, low.anchor)
    assert high.anchor.offset < low.anchor.offset
    assert text[: len(text) // 2].endswith(high.text)


def test_a_jump_to_just_behind_the_anchor_starts_anew_too() -> None:
    """What fits, and is next to nothing, is not kept while there is more to see."""
    text = source(80)
    low = choose_window(text, 0, BUDGET, words, None)
    cursor = low.anchor.offset + 30
    here = choose_window(text[:cursor], 0, BUDGET, words, low.anchor)
    assert len(here.ids) >= BUDGET // 4
    assert text[:cursor].endswith(here.text)


def test_deleting_below_a_short_head_keeps_the_anchor() -> None:
    assert choose_window("a = ", 0, BUDGET, words, Anchor(0, "a = 12")).anchor.offset == 0
