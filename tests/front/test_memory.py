"""Suggestions that are answered from memory."""

from __future__ import annotations

from dg_lsp.documents import edit
from dg_lsp.documents.edit import Edit
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text
from dg_lsp.reuse.memory import Memory, Suggestion


def typed(text: Text, place: Place, new: str) -> Edit:
    """An insertion."""
    return edit.apply(text, place, place, new)


def shown() -> Memory:
    """A memory that shows `width` behind `x = `."""
    memory = Memory()
    memory.remember("a", Place(0, 4), Suggestion("width", 7))
    return memory


def test_the_rest_of_what_was_shown() -> None:
    """Typed along, the answer is what is left of it."""
    memory, text = shown(), Text.of("x = \n")
    assert memory.recall("a", Place(0, 4)) == Suggestion("width", 7)
    memory.edited("a", [typed(text, Place(0, 4), "wi")])
    assert memory.recall("a", Place(0, 6)) == Suggestion("dth", 7)
    assert memory.recall("a", Place(0, 5)) is None


def test_typed_otherwise() -> None:
    """Nothing is left of it; taken back, it is there again."""
    memory, text = shown(), Text.of("x = \n")
    one = typed(text, Place(0, 4), "q")
    memory.edited("a", [one])
    assert memory.recall("a", Place(0, 5)) is None
    memory.edited("a", [edit.apply(one.text, Place(0, 4), Place(0, 5), "")])
    assert memory.recall("a", Place(0, 4)) == Suggestion("width", 7)


def test_typed_to_its_end() -> None:
    """An empty rest is no answer."""
    memory = shown()
    memory.edited("a", [typed(Text.of("x = \n"), Place(0, 4), "width")])
    assert memory.recall("a", Place(0, 9)) is None


def test_a_change_around_it_ends_it() -> None:
    """The suggestion was made for another text."""
    memory = shown()
    memory.edited("a", [typed(Text.of("x = \ny\n"), Place(1, 0), "z")])
    assert memory.recall("a", Place(0, 4)) is None


def test_forgotten() -> None:
    """Closed documents leave nothing."""
    memory = shown()
    memory.forget("a")
    memory.forget("a")
    assert memory.recall("a", Place(0, 4)) is None
