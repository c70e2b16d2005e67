"""Columns in each encoding."""

from __future__ import annotations

import pytest

from dg_lsp.documents import encoding
from dg_lsp.documents.encoding import Encoding

LINE = "aé日😀b"


@pytest.mark.parametrize(
    ("name", "columns"),
    [("utf-8", [0, 1, 3, 6, 10, 11]), ("utf-16", [0, 1, 2, 3, 5, 6]), ("utf-32", [0, 1, 2, 3, 4, 5])],
)
def test_every_column(name: Encoding, columns: list[int]) -> None:
    """Each character starts where it should, both ways."""
    for col, units in enumerate(columns):
        assert encoding.column(LINE, units, name) == col
        assert encoding.units(LINE[:col], name) == units


@pytest.mark.parametrize(("name", "inside"), [("utf-8", 7), ("utf-16", 4)])
def test_a_unit_inside_a_character_is_its_start(name: Encoding, inside: int) -> None:
    """A character is never cut."""
    assert encoding.column(LINE, inside, name) == 3


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16", "utf-32"], "utf-8"),
        (["utf-32", "utf-16"], "utf-32"),
        (["utf-7", "utf-32"], "utf-32"),
        (["utf-7"], "utf-16"),
        ([], "utf-16"),
        (None, "utf-16"),
    ],
)
def test_the_first_known_offer_is_taken(offered: list[str] | None, chosen: str) -> None:
    """UTF-16 when there is none."""
    assert encoding.choose(offered) == chosen
