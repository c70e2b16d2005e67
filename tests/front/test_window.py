"""Where a prefix starts."""

from __future__ import annotations

from dg_lsp.context.window import PREFIX_LIMIT, STEP, SUFFIX_LIMIT, PrefixWindow, suffix
from dg_lsp.documents.text import Text

BLOCK = "def f(x):\n    return x\n\n\n"
LONG = BLOCK * 4000


def test_a_small_document_is_taken_whole() -> None:
    """From its start, LF only."""
    text = Text.of("a = 1\r\nb = ")
    assert PrefixWindow().cut(text, text.end) == (0, "a = 1\nb = ")


def test_the_start_is_a_block_and_the_prefix_fits() -> None:
    """For cursors all over a long document."""
    text = Text.of(LONG)
    window = PrefixWindow()
    for offset in range(0, len(LONG), 7001):
        start, prefix = window.cut(text, text.place_at(offset))
        assert prefix == LONG[start:offset]
        assert len(prefix) <= PREFIX_LIMIT
        assert start == 0 or len(prefix) >= PREFIX_LIMIT - 2 * STEP
        assert start == 0 or (LONG[start:].startswith("def f") and LONG[:start].endswith("\n\n"))


def test_typing_moves_the_start_seldom() -> None:
    """Ten thousand characters move it once or twice, and taking some back does not move it again."""
    text = Text.of(LONG)
    window = PrefixWindow()
    starts = [window.cut(text, text.place_at(offset))[0] for offset in range(50_000, 60_000, 10)]
    assert len(set(starts)) <= 3
    edge = next(k for k in range(1, len(starts)) if starts[k] != starts[k - 1]) * 10 + 50_000
    flips = {window.cut(text, text.place_at(edge + step))[0] for step in (0, -10, 0, -10, 0)}
    assert len(flips) == 1


def test_one_endless_line_is_cut_anyway() -> None:
    """There is no block to begin with."""
    text = Text.of("x" * 100_000)
    start, prefix = PrefixWindow().cut(text, text.end)
    assert len(prefix) <= PREFIX_LIMIT
    assert start + len(prefix) == 100_000


def test_the_suffix_is_bounded() -> None:
    """LF only, no longer than its limit."""
    text = Text.of("a\r\n" * 10_000)
    after = suffix(text, text.place_at(0))
    assert after == ("a\n" * 10_000)[:SUFFIX_LIMIT]
