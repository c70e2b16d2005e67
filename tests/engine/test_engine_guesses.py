"""Canvases that start from guesses, and the judge that chooses among them and the drafts."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import msgspec
import pytest
import torch

from dg_bench.items import items
from dg_engine.denoise.guess import EVIDENCE, Held, guess_ids
from dg_engine.denoise.stop import StableAndConfident
from dg_engine.errors import ModelError
from dg_engine.fill import Filler
from dg_engine.judge import FEATURES, JUDGE_FILE, Judged, JudgeWeights, features, score
from dg_engine.messages import Completion, FillJob, Guess
from dg_engine.model import Model
from dg_engine.steps import finish
from dg_engine.text.heal import Healed, heal
from dg_engine.text.tokenizer import TextTokenizer
from dg_engine.training.judge import Example, fit, reliability

CPU = torch.device("cpu")


# -- placing


def test_a_guess_as_ids(starter_tokenizer: TextTokenizer) -> None:
    """Its tokens, then end marks; cut where the hole is narrower."""
    ids = guess_ids("self.name", Healed([], b"", []), starter_tokenizer, 12, 0)
    assert ids is not None
    assert len(ids) == 12
    assert starter_tokenizer.bytes(ids[: ids.index(0)]) == b"self.name"
    assert (
        guess_ids("a + b + c + d", Healed([], b"", []), starter_tokenizer, 2, 0)
        == starter_tokenizer.encode("a + b + c + d")[:2]
    )
    assert guess_ids("", Healed([], b"", []), starter_tokenizer, 12, 0) is None


def test_a_guess_goes_on_from_what_healing_gave_back(starter_tokenizer: TextTokenizer) -> None:
    """Its first token continues the half word; one whose tokens do not is left out."""
    healed = heal(starter_tokenizer.encode("return isinst"), starter_tokenizer.vocabulary)
    assert healed.dropped.endswith(b"isinst") or healed.dropped
    ids = guess_ids("ance(x)", healed, starter_tokenizer, 12, 0)
    assert ids is not None
    assert starter_tokenizer.bytes(ids[: ids.index(0)]) == healed.dropped + b"ance(x)"
    assert guess_ids("x", Healed([], b"if", [5]), starter_tokenizer, 12, 0) is None


def test_tokens_are_held_until_there_is_evidence() -> None:
    """Those of the guesses only, which come last; a token once let go is not held again."""
    held = Held([[7, 8, 9]], 2, 3, CPU)
    fresh = torch.full((2, 3), 5)
    assert held.start(fresh).tolist() == [[5, 5, 5], [7, 8, 9]]
    held.weigh(torch.tensor([[0.0, 0.0, 0.0], [EVIDENCE, EVIDENCE / 2, 0.9]]))
    assert held.start(fresh).tolist() == [[5, 5, 5], [7, 5, 9]]
    held.weigh(torch.ones(2, 3))
    assert held.start(fresh).tolist() == [[5, 5, 5], [7, 5, 9]]


def test_a_guess_counts_as_what_was_said_before() -> None:
    """So that one pass which agrees, and is sure, is enough."""
    sure, unsure = torch.full((3,), 0.1), torch.full((3,), 2.0)
    for entropy, done in ((sure, True), (unsure, False)):
        test = StableAndConfident(1, 0.3)
        test.expect([1, 2, 0])
        assert test([1, 2, 0], entropy, 3) is done
    other = StableAndConfident(1, 0.3)
    other.expect([1, 3, 0])
    assert not other([1, 2, 0], sure, 3)


# -- in the loop


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load(None, backbone="own", device="cpu", dtype="float32")


def completed(model: Model, job: FillJob) -> Completion:
    return finish(Filler(model).fill(job))


@pytest.mark.slow
def test_what_starts_from_noise_is_what_it_would_be_alone(model: Model) -> None:
    """A guess in the batch changes nothing for it; the guess itself is among the candidates, or what became of it."""
    for seed, item in enumerate(items(12, 5)):
        alone = FillJob(id=1, document=item.name, prefix=item.prefix, suffix=item.suffix, seed=seed)
        guess = Guess(item.gold.strip() or "x", 9)
        with_guess = FillJob(
            id=1, document=item.name, prefix=item.prefix, suffix=item.suffix, seed=seed, guesses=[guess, Guess("zzz(", 2)]
        )
        first, both = completed(model, alone), completed(model, with_guess)
        drafts = [one for one in both.candidates if one.guess is None]
        settled = any(one.guess is not None and one.stop == "stable" for one in both.candidates)
        assert settled or first.candidates[0].text in {one.text for one in both.candidates}
        assert any(one.guess is not None for one in both.candidates) or len(drafts) == 1


@pytest.mark.slow
def test_the_encoders_own_continuation(model: Model) -> None:
    """Asked for, it is a start like a guess; the slot is left as it was, and a job that is stopped in it leaves it so too."""
    filler = Filler(model)
    job = FillJob(id=1, document="d", prefix="import os\nimport sys\nimport ", suffix="\nx = foo(1)\n", continuation=True)
    done = finish(filler.fill(job))
    (entry,) = [filler.slots.take((None, "d"))]
    ids = list(entry.slot.ids)
    filler.slots.give_back(entry)
    assert len(ids) == done.encoded + done.reused
    plain = finish(filler.fill(msgspec.structs.replace(job, continuation=False)))
    assert plain.reused >= len(ids) - 1
    assert not any(one.continued for one in plain.candidates)
    steps = filler.fill(job)
    next(steps)
    steps.close()
    assert finish(filler.fill(msgspec.structs.replace(job, continuation=False))).candidates == plain.candidates
    assert finish(filler.fill(job)).candidates == done.candidates


@pytest.mark.slow
def test_whatever_is_guessed_pins_and_words_stay_whole(model: Model) -> None:
    """Control tokens' names, blanks, half characters, text that is far too long: an answer all the same."""
    for text in ("<fim>", "<pad><eos>", "   ", "\n\n", "é" * 300, "x" * 5000, "\x00"):
        job = FillJob(id=1, document="d", prefix="value = ", suffix="\n", guesses=[Guess(text, 3)] * 3)
        for one in completed(model, job).candidates:
            assert "\n" not in one.text
            assert all(0 <= span.probability <= 1 for span in one.confidence)


# -- judging

WEIGHTS = JudgeWeights(
    draft=(-2.0, 1.0, 0, 0, 0, 0, 0, 0, 1.0, 0),
    guess=(-2.0, 0.5, 0, 0, 1.0, 1.0, 1.0, -1.0, 1.0, 0),
    continued=(-2.0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0),
)


def test_the_features() -> None:
    draft = Judged("ab", [0.5, 0.25])
    guess = Judged("ab", [1.0], Guess("ab ", 3, 2, 4, meets=True), began="ab ")
    told = Judged("ab", [1.0], began="abc", before=[0.5])
    assert features(draft, [draft]) == pytest.approx(
        [1, (math.log(0.5) + math.log(0.25)) / 2, math.log(0.25), math.log(3), 0, 0, 0, 0, 0, 0]
    )
    assert features(guess, [draft, guess]) == pytest.approx([1, 0, 0, math.log(2), math.log(4), 0.5, 1, 0, 1, 0])
    assert features(told, [told]) == pytest.approx([1, 0, 0, math.log(2), 0, 0, 0, 1, 0, math.log(0.5)])
    assert features(Judged("x", [0.0], guess.guess, began="ab"), [])[7] == 1
    assert features(Judged("", []), [])[1] == 0
    assert len(features(draft, [])) == len(FEATURES)


def test_the_score_is_a_probability() -> None:
    longer, shorter = (Judged("a", [0.9], Guess("a", match)) for match in (9, 2))
    assert 0 < score(WEIGHTS, shorter, []) < score(WEIGHTS, longer, []) < 1
    draft = Judged("a", [0.5])
    assert score(WEIGHTS, draft, [draft]) == pytest.approx(1 / (1 + math.exp(2 - math.log(0.5))))
    huge = JudgeWeights(draft=(1e6, *[0.0] * 9), guess=WEIGHTS.guess, continued=WEIGHTS.continued)
    assert score(huge, draft, []) == pytest.approx(1.0)


def test_weights_are_kept_in_a_file() -> None:
    assert JudgeWeights.read(WEIGHTS.write()) == WEIGHTS
    for broken in (b"", b"{}", b'{"features": ["x"], "draft": [1], "guess": [1]}', WEIGHTS.write().replace(b"-2.0", b'"a"')):
        with pytest.raises(ValueError):  # noqa: PT011 - msgspec's errors are such too
            JudgeWeights.read(broken)


@pytest.mark.slow
def test_a_judge_beside_the_weights_is_used(starter_folder: Path, tmp_path: Path) -> None:
    """It orders the candidates and gives each its score; a broken one is an error that names the file."""
    folder = tmp_path / "model"
    shutil.copytree(starter_folder, folder)
    (folder / JUDGE_FILE).write_bytes(WEIGHTS.write())
    job = FillJob(id=1, document="d", prefix="import os\nos.path.", suffix="\n", guesses=[Guess("join(a, b)", 8)])
    found = completed(Model.load(folder, device="cpu"), job).candidates
    scores = [one.score for one in found]
    assert all(value is not None and 0 <= value <= 1 for value in scores)
    assert scores == sorted(scores, key=lambda value: -(value or 0))
    (folder / JUDGE_FILE).write_bytes(b"{}")
    with pytest.raises(ModelError, match=JUDGE_FILE):
        Model.load(folder, device="cpu")


def test_the_fit_finds_what_tells() -> None:
    """Long matches right, short ones wrong; sure drafts right: the weights say so, and scores are near the truth."""
    jobs = []
    for number in range(200):
        long, sure = number % 2 == 0, number % 4 < 2
        guess = Judged("good" if long else "bad", [0.5], Guess("g", 9 if long else 2))
        draft = Judged("good" if sure else "poor", [0.9 if sure else 0.2])
        jobs.append(Example([guess, draft], "good"))
    weights = fit(jobs)
    assert score(weights, jobs[0].candidates[0], []) > 0.9
    assert score(weights, jobs[1].candidates[0], []) < 0.1
    assert score(weights, jobs[0].candidates[1], []) > 0.9
    with pytest.raises(ValueError, match="too few"):
        fit([Example([Judged("a", [0.5])], "b")])


def test_reliability() -> None:
    bins = reliability([0.05, 0.05, 0.95, 1.0], [False, True, True, True])
    assert [(one.count, one.right) for one in bins] == [(2, 0.5), (2, 1.0)]
    assert bins[1].score == pytest.approx(0.975)
