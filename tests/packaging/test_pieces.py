"""Every test runs in one piece of `make test`, and every piece in one stage of CI."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAGES = sorted((ROOT / ".ci/stages").iterdir())


def pieces() -> list[str]:
    """As mk/test.mk names them."""
    areas = re.search(r"^AREAS := (.*)$", (ROOT / "mk/test.mk").read_text(encoding="utf-8"), re.MULTILINE)
    assert areas
    return ["unit", *areas[1].split()]


def test_every_folder_has_a_piece() -> None:
    """All but this one, whose tests are quick: tests/conftest.py refuses others."""
    folders = {file.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").rglob("test_*.py")}
    assert folders - {"packaging"} <= set(pieces())


def test_every_piece_has_a_stage() -> None:
    run = [target for stage in STAGES for target in re.findall(r"\btest-([a-z]+)", stage.read_text(encoding="utf-8"))]
    assert sorted(run) == sorted(pieces())


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_stage_has_a_box(stage: Path) -> None:
    assert re.search(r"^# box: [1-9][0-9]?$", stage.read_text(encoding="utf-8"), re.MULTILINE)
