"""The document store against a naive model: any text, any line end, any encoding, any edit."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dg_lsp.documents import text as text_module
from dg_lsp.documents.encoding import Encoding
from dg_lsp.documents.place import Place
from dg_lsp.documents.store import DocumentStore
from dg_lsp.documents.text import Text

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
LINE_END = re.compile(r"\r\n|\n|\r")
texts = st.text(alphabet=st.sampled_from("ab \r\n\n\né日😀\u2028\x0c\x85\ud800"), max_size=40)
URI = "file:///a.py"


@pytest.fixture(autouse=True, scope="module")
def _small_chunks() -> Iterator[None]:
    """Chunks of four lines, so that small texts have several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "CHUNK_LINES", 4)
        yield


def width(text: str, encoding: Encoding) -> int:
    """Units of `text`, by the plainest means."""
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    return len(text.encode(codec, "surrogatepass")) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]


def naive_position(text: str, offset: int, encoding: Encoding) -> types.Position:
    """The position of an offset; one inside a CR LF counts as before it."""
    line = start = 0
    for match in LINE_END.finditer(text):
        if match.end() > offset:
            break
        line, start = line + 1, match.end()
    end = match_start(text, start)
    return types.Position(line, width(text[start : min(offset, end)], encoding))


def match_start(text: str, start: int) -> int:
    """Where the line that starts at `start` ends."""
    match = LINE_END.search(text, start)
    return match.start() if match else len(text)


def snapped(text: str, offset: int) -> int:
    """An offset that a position can name: not between CR and LF."""
    return offset - 1 if text[offset - 1 : offset + 1] == "\r\n" else offset


def store_with(text: str, encoding: Encoding = "utf-16") -> DocumentStore:
    """A store holding one document."""
    store = DocumentStore()
    store.encoding = encoding
    store.open(URI, "python", 1, text)
    return store


@given(text=texts)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    """No character is lost, and lines are LSP's lines."""
    held = Text.of(text)
    assert str(held) == text
    assert [held.line(k) for k in range(held.count)] == LINE_END.split(text)
    assert held.chars == len(text)


@given(data=st.data(), encoding=st.sampled_from(ENCODINGS), text=texts)
def test_edits_agree_with_a_string(data: st.DataObject, encoding: Encoding, text: str) -> None:
    """A row of incremental changes leaves what slicing a string leaves."""
    store = store_with(text, encoding)
    for version in range(2, 6):
        ends = sorted(snapped(text, data.draw(st.integers(0, len(text)))) for _ in range(2))
        new = data.draw(texts)
        span = types.Range(*(naive_position(text, offset, encoding) for offset in ends))
        store.change(URI, version, [types.TextDocumentContentChangePartial(range=span, text=new)])
        text = text[: ends[0]] + new + text[ends[1] :]
        document = store.get(URI)
        assert document is not None
        assert str(document.text) == text
        assert [document.text.line(k) for k in range(document.text.count)] == LINE_END.split(text)
        assert document.version == version


@given(text=texts, encoding=st.sampled_from(ENCODINGS), data=st.data())
def test_positions_go_there_and_back(text: str, encoding: Encoding, data: st.DataObject) -> None:
    """Offset → position → place → position, and the LF offset of the place."""
    offset = snapped(text, data.draw(st.integers(0, len(text))))
    position = naive_position(text, offset, encoding)
    store = store_with(text, encoding)
    document = store.get(URI)
    assert document is not None
    place = store.place(document.text, position)
    assert store.position(document.text, place) == position
    lf = LINE_END.sub("\n", text[:offset])
    assert document.text.lf_offset(place) == len(lf)
    assert document.text.place_at(len(lf)) == place
    assert document.text.following(place, 1000) == LINE_END.sub("\n", text[offset:])


@given(text=texts, new=texts)
def test_a_whole_text_replaces_everything(text: str, new: str) -> None:
    """A change without a range, and what is reported of it."""
    store = store_with(text)
    edits = store.change(URI, 2, [types.TextDocumentContentChangeWholeDocument(text=new)])
    document = store.get(URI)
    assert document is not None
    assert str(document.text) == new
    assert bool(edits) == (LINE_END.sub("\n", text) != LINE_END.sub("\n", new))


def test_a_position_behind_the_text_is_its_end() -> None:
    """Lines and columns are clamped."""
    store = store_with("a\nb😀")
    document = store.get(URI)
    assert document is not None
    for line, character, expected in (
        (0, 99, Place(0, 1)),
        (9, 0, Place(1, 2)),
        (1, 2, Place(1, 1)),
        (2**31 - 1, 2**31 - 1, Place(1, 2)),
    ):
        assert store.place(document.text, types.Position(line, character)) == expected


def test_an_unknown_document_is_passed_over() -> None:
    """A change for a document that is not open changes nothing."""
    store = DocumentStore()
    assert store.change(URI, 2, [types.TextDocumentContentChangeWholeDocument(text="x")]) == []
    assert store.get(URI) is None
    assert store.close(URI) is None


def test_a_snapshot_stays_as_it_was() -> None:
    """Edits make a new text; who holds the old one keeps it."""
    store = store_with("one\ntwo\n")
    document = store.get(URI)
    assert document is not None
    before = document.text
    span = types.Range(types.Position(0, 0), types.Position(1, 0))
    store.change(URI, 2, [types.TextDocumentContentChangePartial(range=span, text="")])
    assert str(before) == "one\ntwo\n"
    assert str(document.text) == "two\n"


def test_an_edit_touches_few_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 100,000 lines an edit shares all other chunks with the text before it."""
    monkeypatch.setattr(text_module, "CHUNK_LINES", 256)
    before = Text.of("x = 1\n" * 100_000)
    after = before.replace(Place(50_000, 0), Place(50_000, 0), "#")
    shared = {id(chunk) for chunk in before._chunks} & {id(chunk) for chunk in after._chunks}
    assert len(before._chunks) - len(shared) <= 1
