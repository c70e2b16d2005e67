"""What pyproject.toml promises and what is installed."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution, entry_points, version
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import dg_lsp

ROOT = Path(__file__).parents[2]
ROOTS = ("dg_lsp", "engine", "kernels", "benchmarks")
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    """The table [project]."""
    return tomllib.loads(PYPROJECT)["project"]


def requirements() -> list[Requirement]:
    """What the project needs, with all extras but `gpu`, which needs a GPU to be tried."""
    extras = project()["optional-dependencies"]
    lines = project()["dependencies"] + [line for extra, lines in extras.items() if extra != "gpu" for line in lines]
    return [requirement for requirement in map(Requirement, lines) if requirement.name != "dg-lsp"]


def pins() -> dict[str, str]:
    """constraints.txt: version by name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_version() -> None:
    assert dg_lsp.__version__ == version("dg-lsp") == project()["version"]


def test_console_script() -> None:
    [script] = entry_points(group="console_scripts", name="dg-lsp")
    assert callable(script.load())


def test_extras() -> None:
    assert {"engine", "gpu", "bench", "dev"} <= set(distribution("dg-lsp").metadata.get_all("Provides-Extra"))


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_every_requirement_is_pinned_to_a_release_that_fits(requirement: Requirement) -> None:
    assert requirement.specifier.contains(pins()[requirement.name])


def test_pins_are_installed() -> None:
    """Local parts such as `+cpu` aside."""
    found = {name: version(name).split("+")[0] for name in pins()}
    assert found == pins()


@pytest.mark.parametrize("root", ROOTS)
def test_a_root_holds_one_package_and_is_none(root: str) -> None:
    """Else plain `kernels` or `engine` could be imported, or pytest would put the root on the path."""
    packages = [child.name for child in (ROOT / root).iterdir() if (child / "__init__.py").exists()]
    assert packages == [root if root == "dg_lsp" else {"engine": "dg_engine", "kernels": "dg_kernels"}.get(root, "dg_bench")]
    assert not list((ROOT / root).glob("*.py"))


def test_the_starter_is_where_the_wheel_takes_it_from() -> None:
    starter = ROOT / "engine/dg_engine/data/starter"
    assert {"config.json", "model.safetensors", "tokenizer.json", "README.md"} <= {file.name for file in starter.iterdir()}


def test_every_exception_from_a_rule_has_its_reason() -> None:
    """Behind it, or on the line above."""
    lines = [line.strip() for line in PYPROJECT.splitlines()]
    pairs = [pair for pair in pairwise(lines) if re.match(r'"([A-Z]+\d*",|ignore:)', pair[1])]
    assert len(pairs) > 10
    assert [line for before, line in pairs if "#" not in line and not before.startswith("#")] == []
