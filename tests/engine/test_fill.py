"""Filling holes with the starter: what must hold whatever the text is."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from dg_engine.backbone.base import Backbone
from dg_engine.denoise.canvas import make_canvas
from dg_engine.denoise.loop import denoise
from dg_engine.denoise.noise import CounterNoise
from dg_engine.errors import JobError
from dg_engine.fill import Filler
from dg_engine.messages import Completion, Draft, FillJob
from dg_engine.model import Model
from dg_engine.prefix.encode import Encoding, encode_prefix
from dg_engine.profiles.starter import MASK, STARTER

pieces = [*"abcdef xyz_().,:=\n\t'\"[]{}0123<>", "日", "é", "😀", "\u2028", "<eos>", "<fim>", "<pad>"]
code = st.lists(st.sampled_from(pieces), max_size=160).map("".join)


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load()


@pytest.fixture(scope="module")
def quick(model: Model) -> Filler:
    """A filler with small holes and few passes: these tests do not judge the text."""
    profile = replace(STARTER, line=replace(STARTER.line, passes=2), block=replace(STARTER.block, passes=2))
    return Filler(replace(model, profile=profile))


def complete(filler: Filler, job: FillJob) -> tuple[Completion, list[list[Draft] | Encoding]]:
    steps, generator = [], filler.fill(job)
    while True:
        try:
            steps.append(next(generator))
        except StopIteration as end:
            return end.value, steps


def a_job(**fields: object) -> FillJob:
    return FillJob(**{"id": 1, "document": "d", "prefix": "a = ", "suffix": "\n", "drafts": True, **fields})  # type: ignore[arg-type]


@given(prefix=code, suffix=code, hole=st.integers(1, 12), lines=st.integers(1, 3), seed=st.integers(0, 2**40))
def test_no_control_token_becomes_text(quick: Filler, prefix: str, suffix: str, hole: int, lines: int, seed: int) -> None:
    completion, steps = complete(quick, a_job(prefix=prefix, suffix=suffix, max_tokens=hole, max_lines=lines, seed=seed))
    text = completion.candidates[0].text
    text.encode()
    assert text.count("\n") < lines
    assert not any(special in text for special in ("<pad>", "<bos>", "<file>", "<unk>")), text
    ends = [span.end for span in completion.candidates[0].confidence]
    assert ends == sorted(set(ends))
    assert (ends[-1:] or [0]) == [len(text)]
    assert all(0 < span.probability <= 1.0001 for span in completion.candidates[0].confidence)
    assert [step for step in steps if isinstance(step, list)][-1][-1].text == text


@given(
    hole=st.integers(1, 10), pins=st.lists(st.integers(0, 4095), max_size=20), seed=st.integers(0, 2**63), uniform=st.booleans()
)
def test_pins_leave_the_loop_as_they_came(model: Model, hole: int, pins: list[int], seed: int, *, uniform: bool) -> None:
    backbone = model.backbone
    slot = backbone.new_slot()
    list(encode_prefix(backbone, slot, [2]))
    seen: list[Tensor] = []

    class Watching:
        def __getattr__(self, name: str) -> object:
            return getattr(backbone, name)

        def refine(self, ids: Tensor, beliefs: Tensor, slots: list[object], rows: int) -> Tensor:
            seen.append(ids.clone())
            return backbone.refine(ids, beliefs, slots, rows)  # type: ignore[arg-type]

    profile = replace(STARTER, noise="uniform" if uniform else "absorbing")
    canvas = make_canvas(hole, pins, control=None, first_allowed=[], device=backbone.device)
    for _ in denoise(Watching(), [slot, slot], canvas, profile, CounterNoise(seed, 2, backbone.device), passes=3):  # type: ignore[arg-type]
        pass
    assert seen
    for ids in seen:
        assert ids[:, hole:].tolist() == [pins, pins]


@given(text=code)
def test_prefix_answer_and_suffix_join_exactly(quick: Filler, text: str) -> None:
    """The answer continues the very text before the cursor: what healing took back is in the answer's tokens, not in its text."""
    completion, _ = complete(quick, a_job(prefix=text, max_tokens=4))
    vocabulary = quick.model.tokenizer
    joined = (text + completion.candidates[0].text).encode()
    assert vocabulary.bytes(vocabulary.encode(joined.decode())) == joined


@pytest.mark.parametrize(
    "prefix", ["xs = [1]\nxs.app", "import js", "return ", "\tif x:\n\t\t", "x = '日本語😀'; y = ", "a = 1\r\nb = ", ""]
)
def test_half_typed_words_blanks_tabs_emoji_and_carriage_returns(quick: Filler, prefix: str) -> None:
    completion, _ = complete(quick, a_job(prefix=prefix, suffix=""))
    text = completion.candidates[0].text
    assert completion.candidates[0].passes >= 1
    assert "\n" not in text
    assert (prefix + text).encode().decode() == prefix + text
    half = prefix.rsplit("\n", 1)[-1].rsplit(" ", maxsplit=1)[-1]
    assert not half or not text.startswith(half)  # what is typed already is not said again


@pytest.mark.slow
def test_both_sides_of_the_cursor_matter(model: Model) -> None:
    filler = Filler(model)
    plain, _ = complete(filler, a_job(prefix="def f(self):\n    return ", suffix="\n"))
    other, _ = complete(filler, a_job(prefix="def f(self):\n    return ", suffix="]\n"))
    left, _ = complete(filler, a_job(prefix="import ", suffix="\n"))
    assert plain.candidates[0].text != other.candidates[0].text
    assert plain.candidates[0].text != left.candidates[0].text


def test_a_job_repeats_alone_and_in_a_batch(model: Model) -> None:
    job = a_job(prefix="for i in range(", seed=11)
    alone, _ = complete(Filler(model), job)
    again, _ = complete(Filler(model), job)
    batch, _ = complete(Filler(model), a_job(prefix="for i in range(", seed=11, candidates=3))
    assert again.candidates == alone.candidates
    assert alone.candidates[0].text in {candidate.text for candidate in batch.candidates}


@pytest.mark.slow
def test_a_cached_prefix_gives_the_text_of_a_cold_one(model: Model) -> None:
    filler, job = Filler(model), a_job(prefix="import os\n\n\ndef walk(path):\n    for name in os.", seed=2)
    cold, _ = complete(filler, job)
    complete(filler, a_job(prefix=job.prefix + "list", seed=2))
    warm, _ = complete(filler, job)
    assert cold.candidates[0].text == warm.candidates[0].text
    assert (cold.reused, warm.encoded <= 4) == (0, True)


@pytest.mark.slow
def test_a_long_prefix_is_encoded_in_chunks_and_finished_chunks_stay(model: Model) -> None:
    filler = Filler(replace(model, profile=replace(STARTER, max_context=1500)))
    prefix = "".join(f"value_{i} = compute(value_{i}, other)\n" for i in range(200))
    generator = filler.fill(a_job(prefix=prefix))
    first = next(generator)
    assert isinstance(first, Encoding)
    generator.close()
    after, _ = complete(filler, a_job(prefix=prefix))
    assert after.reused >= first.encoded


@pytest.mark.slow
def test_the_window_never_exceeds_what_the_model_was_trained_for(model: Model) -> None:
    completion, _ = complete(Filler(model), a_job(prefix="x = 1\n" * 4000))
    assert 0 < completion.encoded <= STARTER.max_context


def test_an_empty_document_is_filled(quick: Filler) -> None:
    completion, _ = complete(quick, a_job(prefix="", suffix=""))
    assert completion.encoded + completion.reused == 1


def test_output_that_is_not_finite_fails_its_own_job_only(model: Model) -> None:
    class Broken:
        def __init__(self, backbone: Backbone) -> None:
            self.backbone = backbone

        def __getattr__(self, name: str) -> object:
            return getattr(self.backbone, name)

        def head(self, rows: Tensor) -> Tensor:
            return self.backbone.head(rows) * torch.nan

    broken = Filler(replace(model, backbone=Broken(model.backbone)))  # type: ignore[arg-type]
    with pytest.raises(JobError, match="not finite") as error:
        complete(broken, a_job())
    assert error.value.kind == "not_finite"
    broken.model = model  # its slots are as good as before
    assert complete(broken, a_job())[0].candidates == complete(Filler(model), a_job())[0].candidates


def test_settings_of_one_job_do_not_reach_the_next(model: Model) -> None:
    filler, plain = Filler(model), a_job(prefix="def area(self):\n    return self.", seed=4)
    before, _ = complete(filler, plain)
    complete(filler, a_job(prefix="def area(self):\n    return self.", seed=9, max_lines=5, candidates=2, max_tokens=3))
    after, _ = complete(filler, plain)
    assert before.candidates == after.candidates


def test_the_mask_never_reaches_the_text(model: Model) -> None:
    vocabulary = model.tokenizer.vocabulary
    assert vocabulary.bytes[MASK] == b""
    assert MASK in vocabulary.without_text()


def test_a_job_can_be_stopped_between_its_chunk_and_its_first_pass(model: Model) -> None:
    """One step a chunk, one a pass, however many candidates share it; drafts are made for those who want them."""
    filler = Filler(model)
    _, steps = complete(filler, a_job(candidates=3))
    kinds = [type(step).__name__ for step in steps]
    assert kinds[0] == "Encoding"
    assert set(kinds[1:]) == {"list"}
    assert len(steps[1]) == 3  # type: ignore[arg-type]
    done, quiet = complete(filler, a_job(candidates=3, drafts=False))
    assert all(step == [] for step in quiet if isinstance(step, list))
    assert sum(isinstance(step, list) for step in quiet) == max(one.passes for one in done.candidates)
