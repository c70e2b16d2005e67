"""`dg-lsp calibrate`, with candidates whose truth is known instead of a model's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dg_engine.judge import Judged, JudgeWeights
from dg_engine.messages import Guess
from dg_engine.training.judge import Example
from dg_lsp.cli.app import run
from dg_lsp.cli.commands import calibrate


def known(count: int) -> list[Example]:
    """Long matches are right four times in five, short ones one time in five; so are sure and unsure drafts."""
    jobs = []
    for number in range(count):
        long, turn = number // 2 % 2 == 0, number // 4 % 5
        right = turn < 4 if long else turn == 0
        guess = Judged("good" if right else "bad", [0.5], Guess("good" if right else "bad", 12 if long else 2))
        draft = Judged("good" if right else "bad", [0.9 if long else 0.1])
        jobs.append(Example([guess, draft], "good"))
    return jobs


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def calibrated(examples: list[Example], *words: str) -> tuple[int, str, str, Path]:
        monkeypatch.setattr(calibrate, "_examples", lambda *_: examples)
        output = tmp_path / "judge.json"
        code = run(["calibrate", str(tmp_path), "--output", str(output), *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err, output

    return calibrated


def test_what_it_finds_is_true(said: Any) -> None:
    """Two bins, each right as often as its score says; weights that can be read again."""
    code, out, _, output = said(known(400), "--json")
    assert code == 0
    result = json.loads(out.splitlines()[-1])
    assert result["items"] == 400
    low, high = result["reliability"][0], result["reliability"][-1]
    assert low["right"] == pytest.approx(0.2, abs=0.02)
    assert high["right"] == pytest.approx(0.8, abs=0.02)
    for one in result["reliability"]:
        assert one["score"] == pytest.approx(one["right"], abs=0.1)
    assert len(JudgeWeights.read(output.read_bytes()).guess) == 10
    assert f"Written: {output}" in out


def test_too_little_to_learn_from(said: Any) -> None:
    code, _, err, output = said([Example([Judged("a", [0.5])], "b")] * 10)
    assert code == 1
    assert "too few to learn from" in err
    assert not output.exists()


def test_a_path_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "/nowhere/a"]) == 2
    assert "/nowhere/a cannot be found" in capsys.readouterr().err
