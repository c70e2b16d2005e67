"""Bytes of ids, healing, and answers that re-join exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dg_engine.text.answer import HoleText
from dg_engine.text.heal import heal
from dg_engine.text.tokenizer import TextTokenizer
from dg_engine.text.vocabulary import Vocabulary, byte_fallback, byte_level

PAD = 0

texts = st.text(
    alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(" \t\n\r(){}.:_=😀日é")), max_size=80
)


@given(text=texts)
def test_document_text_comes_back_byte_for_byte(starter_tokenizer: TextTokenizer, text: str) -> None:
    assert starter_tokenizer.bytes(starter_tokenizer.encode(text)) == text.encode()


@given(text=texts, special=st.sampled_from(["<eos>", "<fim>", "<pad>", "<bos>", "<file>", "<unk>"]))
def test_a_typed_special_token_stays_text(starter_tokenizer: TextTokenizer, text: str, special: str) -> None:
    ids = starter_tokenizer.encode(text + special)
    assert not set(ids) & starter_tokenizer.vocabulary.special
    assert starter_tokenizer.bytes(ids) == (text + special).encode()


@given(text=texts)
def test_healing_gives_back_the_end_and_allows_what_continues_it(starter_tokenizer: TextTokenizer, text: str) -> None:
    ids = starter_tokenizer.encode(text)
    vocabulary = starter_tokenizer.vocabulary
    healed = heal(ids, vocabulary)
    assert starter_tokenizer.bytes(healed.kept) + healed.dropped == text.encode()
    assert healed.kept == ids[: len(healed.kept)]
    assert bool(healed.allowed) == bool(healed.dropped)
    assert all(vocabulary.bytes[id_].startswith(healed.dropped) for id_ in healed.allowed)


def test_a_half_typed_word_may_become_the_whole_word(starter_tokenizer: TextTokenizer) -> None:
    healed = heal(starter_tokenizer.encode("xs.app"), starter_tokenizer.vocabulary)
    assert healed.dropped == b"app"
    assert b"append" in {starter_tokenizer.vocabulary.bytes[id_] for id_ in healed.allowed}


def test_a_trailing_blank_may_become_part_of_the_next_word(starter_tokenizer: TextTokenizer) -> None:
    healed = heal(starter_tokenizer.encode("return "), starter_tokenizer.vocabulary)
    assert healed.dropped == b" "
    assert b" self" in {starter_tokenizer.vocabulary.bytes[id_] for id_ in healed.allowed}


def small_vocabulary() -> Vocabulary:
    tokens = {"<pad>": 0, "a": 1, "ab": 2, "abc": 3, "b": 4, "Ċ": 5, "ð": 6, "Ł": 7, "ĺ": 8, "Ģ": 9}
    return Vocabulary(tokens, [0], 12, is_byte_level=True)


def test_ids_that_begin_with_given_bytes() -> None:
    vocabulary = small_vocabulary()
    assert sorted(vocabulary.continuing(b"ab")) == [2, 3]
    assert sorted(vocabulary.continuing(b"a")) == [1, 2, 3]
    assert vocabulary.continuing(b"abcd") == []
    assert not vocabulary.has_continuing(b"ba")
    assert vocabulary.continuing(b"\xf0") == [6]


def test_ids_without_text_are_specials_and_what_the_tokenizer_does_not_know() -> None:
    assert small_vocabulary().without_text() == [0, 10, 11]


def test_written_forms_of_both_kinds_of_vocabulary() -> None:
    assert byte_level("Ġfoo") == b" foo"
    assert byte_level("ĊĠ") == b"\n "
    assert byte_fallback("<0x0A>") == b"\n"
    assert byte_fallback("\u2581foo") == b" foo"


def test_the_answer_ends_before_its_end_mark_and_without_what_was_given_back() -> None:
    hole = HoleText(small_vocabulary(), {PAD}, dropped=b"a", max_lines=1)
    text, spans = hole.text([2, 4, PAD, 1], [0.5, 0.25, 0.9, 0.9])
    assert text == "bb"
    assert [(span.end, span.probability) for span in spans] == [(1, 0.5), (2, 0.25)]
    assert hole.end([2, 4, PAD, 1]) == 3


def test_a_single_line_ends_with_its_line() -> None:
    hole = HoleText(small_vocabulary(), {PAD}, max_lines=1)
    assert hole.text([1, 5, 1], [1, 1, 1])[0] == "a"
    assert hole.end([1, 5, 1]) == 2


def test_a_line_break_that_was_given_back_is_no_new_line() -> None:
    hole = HoleText(small_vocabulary(), {PAD}, dropped=b"\n", max_lines=1)
    assert hole.text([5, 1, 5, 1], [1, 1, 1, 1])[0] == "a"


def test_several_lines_are_counted_from_the_cursor() -> None:
    hole = HoleText(small_vocabulary(), {PAD}, max_lines=2)
    assert hole.text([1, 5, 4, 5, 1], [1] * 5)[0] == "a\nb"


def test_when_a_text_that_grows_is_over() -> None:
    """With its end mark, or with the line break after its last line; one that was given back does not count."""
    hole = HoleText(small_vocabulary(), {PAD}, max_lines=1)
    assert [hole.is_over(ids) for ids in ([], [1], [1, 5], [1, PAD], [PAD], [1, 5, 1])] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]
    given_back = HoleText(small_vocabulary(), {PAD}, dropped=b"\n", max_lines=1)
    assert [given_back.is_over(ids) for ids in ([5], [5, 1], [5, 1, 5])] == [False, False, True]


def test_a_character_cut_in_half_is_left_out() -> None:
    hole = HoleText(small_vocabulary(), {PAD}, max_lines=1)
    assert hole.text([1, 6, 7], [1, 1, 1])[0] == "a"
    assert hole.text([1, 6, 7, 8, 9], [1] * 5)[0] == "a\U0001f600"[:1] + bytes([0xF0, 0x9F, 0x98, 0x80]).decode()
