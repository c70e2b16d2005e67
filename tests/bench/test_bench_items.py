"""Holes that are cut, and how what fills them is judged."""

from __future__ import annotations

import string

import pytest

from dg_bench.items import exact, items, similarity, sources

WORD = string.ascii_letters + string.digits + "_"


def test_the_same_seed_gives_the_same_holes_and_they_join_to_their_file() -> None:
    first, again, other = items(40, 1), items(40, 1), items(40, 2)
    assert first == again
    assert first != other
    texts = {text for _, text in sources()}
    for item in first:
        assert item.prefix + item.gold + item.suffix in texts


def test_a_hole_runs_from_a_words_end_to_the_lines_end() -> None:
    for item in items(200, 3):
        assert len(item.gold.strip()) > 1
        assert "\n" not in item.gold
        assert item.suffix.startswith("\n")
        assert item.prefix.endswith(tuple(WORD))
        assert not item.gold.startswith(tuple(WORD))


def test_every_hole_lies_in_another_line() -> None:
    lines = [item.name.rsplit(":", 1)[0] for item in items(200, 4)]
    assert len(set(lines)) == 200


def test_every_file_is_python_that_compiles() -> None:
    assert len(sources()) == 6
    for name, text in sources():
        assert compile(text, name, "exec")


@pytest.mark.parametrize("count", [0, -1, 10_000])
def test_no_more_holes_than_lines(count: int) -> None:
    with pytest.raises(ValueError, match="holes can be cut"):
        items(count, 0)


def test_similarity_and_exactness_ignore_blanks_at_the_ends() -> None:
    assert similarity(" a = 1", "a = 1 ") == 1.0
    assert similarity("abcd", "abxy") == 0.5
    assert exact("x)", " x)")
    assert not exact("x", "y")
