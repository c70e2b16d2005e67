"""Holes are cut as they are said to be, filled as the server fills them, and judged by what stood there."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from dg_bench.infill.filled import Asker, Filled, Open
from dg_bench.infill.holes import LONGEST, SHORTEST, Hole, Source, holes, sources
from dg_bench.suites import infill
from dg_engine.fill import Filler
from dg_engine.messages import Completion
from dg_engine.model import Model

TEXT = '''"""A module, whose description
is not cut."""
import os


def first(values):
    # nor is a comment
    total = compute(values, scale=2)
    return total / len(values)


def second(values):
    total = compute(values, scale=2)
    return total * len(values)
'''


def source(text: str = TEXT, name: str = "a.py") -> Source:
    return Source(name, "package", text)


def test_holes_are_the_rests_of_lines_of_code() -> None:
    found = holes([source()], 100, 0)
    lines = TEXT.split("\n")
    for hole in found:
        line = lines[hole.line]
        assert SHORTEST <= len(line.strip()) <= LONGEST
        assert line[hole.column :] == hole.rest
        assert len(hole.rest) >= 2
        assert not (line[hole.column - 1].isalnum() and line[hole.column].isalnum())
        assert hole.column <= len(line) * 2 / 3 + 10
    assert {hole.line for hole in found} <= {5, 7, 8, 11, 12, 13}
    assert len(found) >= 4
    assert found == holes([source()], 100, 0)
    assert [h.column for h in found] != [h.column for h in holes([source()], 100, 1)]


def test_equally_from_the_packages() -> None:
    files = [source(), replace(source(name="b.py"), package="other"), replace(source(name="c.py"), package="other")]
    packages = [hole.source.package for hole in holes(files, 8, 0)]
    assert packages.count("package") == packages.count("other") == 4


def test_nothing_to_cut() -> None:
    with pytest.raises(ValueError, match="no line of code"):
        holes([source("x = 1\n"), source("def broken(:\n", "b.py")], 10, 0)


def test_files_of_folders(tmp_path: Path) -> None:
    """Each folder a package; what is no UTF-8, or has other line ends, is left out."""
    (tmp_path / "p" / "deep").mkdir(parents=True)
    (tmp_path / "p" / "deep" / "a.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "p" / "b.py").write_bytes(b"x = 1\r\n")
    (tmp_path / "p" / "c.py").write_bytes(b"x = \xff\n")
    assert sources([tmp_path / "p"]) == [Source("p/deep/a.py", "p", "x = 1\n")]
    assert sources([tmp_path / "p" / "deep" / "a.py"])[0].name == "a.py"


def filled(hole: Hole, text: str) -> Filled:
    return Filled(
        hole, text, 0.5, guessed=False, passes=1, ms=1.0, guess_ms=0.0, guesses=[], completion=Completion(id=1, candidates=[])
    )


def test_the_figures() -> None:
    hole = Hole(source(), 7, len("    total = compute"), "(values, scale=2)")
    right, wrong, echo = (
        filled(hole, text) for text in ("(values, scale=2) ", "(values", "(values); return total / len(values)")
    )
    assert (right.exact, right.similarity, right.parses, right.echoes) == (True, 1.0, True, False)
    assert (wrong.exact, wrong.parses) == (False, False)
    assert 0 < wrong.similarity < 1
    assert echo.echoes


@pytest.mark.slow
def test_guesses_come_from_where_they_are_said_to() -> None:
    """Never from the hole itself; from the package only when its files are open."""
    other = replace(source("x = load(configuration, strict)\n", "b.py"), package="package")
    mine = source("import os\n\ny = load(configuration, strict)\n")
    hole = Hole(mine, 2, len("y = load("), "configuration, strict)")
    filler = Filler(Model.load(None, device="cpu", dtype="float32"))
    cases: list[tuple[Open, list[str]]] = [("nothing", []), ("file", []), ("package", ["configuration, strict)"])]
    for opened, expected in cases:
        result = Asker(filler, [mine, other], opened)(hole)
        assert [one.text for one in result.guesses] == expected
        assert result.completion.hole > 0


@pytest.mark.slow
def test_the_suite_runs() -> None:
    """Rows for each source of guesses; shares from 0 to 1."""
    parser = argparse.ArgumentParser()
    infill.add_options(parser)
    parser.add_argument("--smoke", action="store_true")
    rows = infill.measure(parser.parse_args(["--smoke"]))
    assert {row.case.split(",")[0] for row in rows} == {f"guesses from {where}" for where in ("nothing", "file", "package")}
    assert all(0 <= row.mean <= 1 for row in rows if row.unit == "share")
    assert infill.misuse(parser.parse_args(["/nowhere/a.py"])) == "/nowhere/a.py cannot be found."
    assert infill.misuse(parser.parse_args(["--items", "0"])) == "--items must be above 0."
