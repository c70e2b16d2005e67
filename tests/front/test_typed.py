"""What counts as typing at a place."""

from __future__ import annotations

import pytest

from dg_lsp.documents import edit
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text
from dg_lsp.requests.typed import Typed

Change = tuple[int, int, str]


def place_of(text: str, offset: int) -> Place:
    """The place of an offset in an LF text."""
    before = text[:offset]
    return Place(before.count("\n"), offset - (before.rfind("\n") + 1))


def follow(marked: str, changes: list[Change]) -> tuple[bool, Typed, str]:
    """Apply changes [start, end, new] to a marked text; returns whether they were typing, what was typed, and the text."""
    cursor = marked.index("‸")
    plain = marked.replace("‸", "")
    typed, text, alive = Typed(place_of(plain, cursor)), Text.of(plain), True
    for start, end, new in changes:
        one = edit.apply(text, place_of(plain, start), place_of(plain, end), new)
        text, plain = one.text, plain[:start] + new + plain[end:]
        alive = alive and (one.empty or typed.follow(one))
    return alive, typed, plain


@pytest.mark.parametrize(
    ("marked", "changes", "typed"),
    [
        pytest.param("x = ‸\n", [(4, 4, "a"), (5, 5, "b")], "ab", id="typed"),
        pytest.param("x = ‸\n", [(4, 4, "ab"), (5, 6, "")], "a", id="typed and taken back"),
        pytest.param("x = ‸\n", [(4, 4, "a"), (4, 5, "")], "", id="all taken back"),
        pytest.param("f‸\n", [(1, 1, "()"), (2, 2, "a")], "(a", id="auto-closed pair counts as its opener"),
        pytest.param("f‸\n", [(1, 1, "()"), (1, 3, "")], "", id="pair taken back together"),
        pytest.param("f‸\n", [(1, 1, "()"), (2, 2, "a"), (4, 4, ":")], "(a):", id="closer typed over"),
        pytest.param("if x:‸\ny\n", [(5, 5, "\n    ")], "\n    ", id="new line with indentation"),
        pytest.param("ap‸pend\n", [(3, 3, "p")], "p", id="equal letter reported one to the right"),
        pytest.param("x = ‸\n", [(4, 4, "ap"), (6, 6, "p"), (6, 7, "")], "ap", id="equal letter taken back"),
        pytest.param("x = ‸\n", [(4, 4, "n"), (4, 5, "に")], "に", id="input method"),
        pytest.param("x = ‸\n", [(0, 4, "x = ")], "", id="replaced by itself"),
        pytest.param("x = ‸\n", [(4, 5, "a\n")], "a", id="replacement that only inserts"),
        pytest.param("a‸\n\nb\n", [(2, 2, "\n")], "\n", id="equal line end reported one below"),
    ],
)
def test_typing(marked: str, changes: list[Change], typed: str) -> None:
    """These keep a request alive; the text between its place and the cursor is what was typed."""
    alive, followed, text = follow(marked, changes)
    assert alive
    assert followed.typed == typed
    cursor = marked.index("‸")
    assert text[cursor : cursor + len(typed)] == typed
    assert followed.cursor == place_of(text, cursor + len(typed))


@pytest.mark.parametrize(
    ("marked", "changes"),
    [
        pytest.param("x = ‸\n", [(0, 0, "import re\n")], id="above"),
        pytest.param("x = ‸\n", [(3, 4, "")], id="taken back before the place"),
        pytest.param("x = ‸\n", [(3, 3, "a")], id="before on the line"),
        pytest.param("x = ‸\ny = 2\n", [(6, 6, "z")], id="below"),
        pytest.param("x = ‸(a)\n", [(6, 6, "b")], id="behind on the line"),
        pytest.param("x = ‸\n", [(4, 4, "ab"), (4, 4, "c")], id="before what was typed"),
        pytest.param("x = ‸abc\n", [(4, 7, "")], id="text behind deleted"),
        pytest.param("x = ‸\n", [(0, 5, "something else\n")], id="all replaced"),
    ],
)
def test_other_changes(marked: str, changes: list[Change]) -> None:
    """These end it."""
    assert not follow(marked, changes)[0]
