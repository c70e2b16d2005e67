"""What followed the same words elsewhere: found, cut to fit, kept up with edits, and never from where it must not come."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dg_bench.drive.client import plain_params
from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served
from dg_engine.messages import Guess
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text
from dg_lsp.guesses import piece
from dg_lsp.guesses.continuation import Cursor, continuation
from dg_lsp.guesses.index import GuessIndex
from dg_lsp.guesses.words import matched_words, split_half


def found(marked: str, *others: str, max_lines: int = 1) -> list[Guess]:
    """The guesses at the cursor ‸, with the other documents open too."""
    before, after = marked.split("‸")
    index = GuessIndex()
    for number, other in enumerate(others):
        index.update(f"other{number}", Text.of(other))
    text = Text.of(before + after)
    index.update("here", text)
    index.finish()
    lines = before.split("\n")
    return index.guesses("here", text, Place(len(lines) - 1, len(lines[-1])), max_lines)


def test_the_longest_match_first() -> None:
    """Four words and more where there are such; else two."""
    other = "a = open(path, 'rb')\nwith x:\n    b = open(path, 'w')\n"
    assert found("with x:\n    b = open(‸\n", other) == [Guess("path, 'w')", 8, 1, 1)]
    guesses = found("c = open(‸\n", other)
    assert [(one.text, one.match_length, one.count, one.of) for one in guesses] == [
        ("path, 'rb')", 3, 1, 2),
        ("path, 'w')", 3, 1, 2),
    ]


def test_the_same_file_before_and_behind_the_cursor() -> None:
    text = "self.one = make(1)\nself.two = ‸\nself.three = make(3)\nself.two = make(2)\n"
    assert found(text)[0] == Guess("make(2)", 6, 1, 1, meets=False)


def test_the_cursors_own_words_are_no_match() -> None:
    assert found("total = compute(‸values)\n") == []
    assert found("x = 1\ny = total.sum‸\n") == []


@pytest.mark.parametrize(
    ("marked", "other", "guess"),
    [
        ("x = thing.nam‸\n", "y = thing.name(1)\n", "e(1)"),
        ("x = thing.name‸\n", "y = thing.name(1)\n", "(1)"),
        ("x = thing.other‸\n", "y = thing.name(1)\n", None),
        ("def f():\n    return ‸\n", "def f():\n    return self.x\n", "self.x"),
        ("def f():\n    return‸\n", "def f():\n    return self.x\n", " self.x"),
        ("print(a, ‸)\n", "print(a, b)\n", "b"),
        ("print(a, ‸)\n", "print(a, b, c=[1])\n", "b, c=[1]"),
        ("for x in y:\n\t‸\n", "for x in y:\n    use(x)\n", "use(x)"),
        ("a = b + ‸\r\nc = d\r\n", "a = b + 1\r\nc = d\r\n", "1"),
        ("wort = größe.x‸\n", "wort = größe.xyz\n", "yz"),
    ],
)
def test_what_is_inserted(marked: str, other: str, guess: str | None) -> None:
    """Half-typed words go on, blanks are those that are missing, what stands behind the cursor is not said again."""
    guesses = found(marked, other)
    assert [one.text for one in guesses] == ([guess] if guess else [])


def test_meeting_what_follows_counts_as_a_longer_match() -> None:
    other = "a.b = 1\nend()\nz.a.b = 2\nother()\n"
    guesses = found("a.b = ‸\nother()\n", other)
    assert [(one.text, one.meets) for one in guesses] == [("2", True), ("1", False)]


def test_several_lines_end_with_their_block() -> None:
    other = "def close(self):\n    self.file.close()\n    self.file = None\n\ndef next(self):\n    pass\n"
    assert found("def close(self):‸\n", other, max_lines=6)[0].text == "\n    self.file.close()\n    self.file = None"
    assert found("def close(self):\n    ‸\n", other, max_lines=6)[0].text == "self.file.close()\n    self.file = None"
    assert found("def close(self):\n    ‸\n", other, max_lines=1)[0].text == "self.file.close()"


def test_at_most_four_and_each_once() -> None:
    other = "".join(f"f(x, {number % 6})\n" for number in range(60))
    guesses = found("f(x, ‸\n", other)
    assert len(guesses) == len({one.text for one in guesses}) == 4
    assert {one.count for one in guesses} == {10}
    assert {one.of for one in guesses} == {60}


def test_only_from_documents_of_the_same_group() -> None:
    index = GuessIndex(lambda key: key[0])
    for key in ("a1", "b1"):
        index.update(key, Text.of(f"x = load(config, {key})\n"))
    text = Text.of("x = load(config, ")
    index.update("a2", text)
    index.finish()
    assert [one.text for one in index.guesses("a2", text, text.end, 1)] == ["a1)"]
    index.forget("a1")
    assert index.guesses("a2", text, text.end, 1) == []


def test_the_oldest_goes_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dg_lsp.guesses.index.MOST_CHARACTERS", 1000)
    index = GuessIndex()
    for name in "abc":
        index.update(name, Text.of(f"{name} = 1\n" * 70))
    index.update("a", Text.of("a = 2\n" * 70))
    assert index.characters <= 1000
    assert sorted(index.documents) == ["a", "c"]
    index.update("d", Text.of("d" * 2000))
    assert sorted(index.documents) == ["a", "c"]


def test_an_edit_costs_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 100,000 lines one key makes one piece anew; the others are kept."""
    made: list[int] = []
    whole = piece.Piece.__init__

    def counted(self: piece.Piece, source: tuple[str, ...]) -> None:
        made.append(len(source))
        whole(self, source)

    monkeypatch.setattr(piece.Piece, "__init__", counted)
    index, text = GuessIndex(), Text.of("value = 1\n" * 100_000)
    index.update("here", text)
    index.finish()
    before = len(made)
    for key in "abc":
        text = text.replace(Place(50_000, 0), Place(50_000, 0), key)
        index.update("here", text)
        index.finish()
    assert len(made) - before == 3
    assert max(made) <= piece.LINES


async def test_indexed_in_the_background_and_asked_before_it_is_done() -> None:
    """The cursor's own surroundings are there at once; the rest comes while the loop has nothing else to do."""
    index = GuessIndex()
    lines = [f"use(thing, {number})\n" for number in range(2000)]
    text = Text.of("".join([*lines, "use(thing, "]))
    index.update("here", text)
    assert index.guesses("here", text, text.end, 1)
    await index.settled()
    first = Text.of("".join([f"unique{number} = other({number})\n" for number in range(2000)]) + "unique0 = ")
    index.update("there", first)
    await index.settled()
    assert [one.text for one in index.guesses("there", first, first.end, 1)] == ["other(0)"]


signs = st.text(st.sampled_from("ab_1 .(\n\t=é"), max_size=40)


@given(before=signs, other=signs, after=signs)
def test_whatever_stands_there(before: str, other: str, after: str) -> None:
    """A guess is never blank, of one line when one is asked for, and stands behind the half word somewhere."""
    for one in found(f"{before}‸{after}", other):
        assert one.text.strip()
        assert "\n" not in one.text
        assert one.match_length >= 0
        assert 1 <= one.count <= one.of
        _, half = split_half(before)
        assert half + one.text.rstrip() in (other + "\n" + before + after).replace("\r", "")


def test_words() -> None:
    assert split_half("a.b_1") == ("a.", "b_1")
    assert split_half("a.b ") == ("a.b ", "")
    assert split_half("größe") == ("", "größe")
    assert matched_words("x = foo(bar", "y = foo(bar") == 4
    assert matched_words("myfoo(bar", "yourfoo(bar") == 2
    assert matched_words("foo(bar", "foo(bar") == 3
    assert matched_words("a", "b") == 0


def test_a_continuation_that_goes_another_way() -> None:
    cursor = Cursor(base="x = ", half="foo", line_after="", next_line="", max_lines=1)
    assert continuation(cursor, "x = bar(1)\n", 3) is None
    assert continuation(cursor, "x = foo\n", 3) is None
    assert continuation(cursor, "x = foobar\n", 3) == ("bar", False)


# -- through the server


def opened(serve: Serve, folders: list[str], **settings: object) -> Served:
    served = serve(initialize=False)
    options = {"engine": {"socket": str(served.engine.path)}, "completion": {"speculative": False}, **settings}
    params = {**plain_params(options=options), "workspaceFolders": [{"uri": one, "name": ""} for one in folders]}
    served.client.initialize(params)
    served.script(Rule(text="value"))
    return served


OTHER = "connection = connect(host, port)\n"
ASKED = "connection = connect(‸\n"


def asked(served: Served, uri: str, text: str = ASKED, language: str = "python") -> list[str]:
    document = Document(served.client, text, uri=uri, language=language)
    document.items()
    document.close()
    return [one.text for one in served.engine.jobs[-1].guesses]


def test_jobs_carry_them(serve: Serve, tmp_path: Path) -> None:
    """From open documents of the same workspace folder and language; closed ones are forgotten."""
    one, two = (tmp_path / "one").as_uri(), (tmp_path / "two").as_uri()
    served = opened(serve, [one, two])
    other = Document(served.client, OTHER, uri=f"{one}/b.py")
    assert asked(served, f"{one}/a.py") == ["host, port)"]
    assert asked(served, f"{two}/a.py") == []
    assert asked(served, f"{one}/a.go", language="go") == []
    other.close()
    assert asked(served, f"{one}/a.py") == []


def test_switched_off(serve: Serve, tmp_path: Path) -> None:
    served = opened(serve, [tmp_path.as_uri()], context={"guesses": False})
    Document(served.client, OTHER, uri=f"{tmp_path.as_uri()}/b.py")
    assert asked(served, f"{tmp_path.as_uri()}/a.py") == []
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"context": {"guesses": True}}})
    assert asked(served, f"{tmp_path.as_uri()}/a.py") == ["host, port)"]


def test_what_git_ignores_gives_none(serve: Serve, tmp_path: Path) -> None:
    """It is completed itself, also from its own text, and never read for others."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    root = tmp_path.as_uri()
    served = opened(serve, [root])
    Document(served.client, OTHER, uri=f"{root}/ignored.py")
    Document(served.client, OTHER, uri=f"{root}/.env")
    assert asked(served, f"{root}/a.py") == []
    plain = Document(served.client, OTHER, uri=f"{root}/plain.py")
    assert asked(served, f"{root}/a.py") == ["host, port)"]
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"exclude": {"globs": ["plain.py"]}}})
    assert asked(served, f"{root}/a.py") == []
    plain.close()
