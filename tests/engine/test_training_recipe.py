"""The recipe judges licences and names as it says."""

from __future__ import annotations

import importlib.util
import sys
from email.message import Message
from pathlib import Path
from types import ModuleType

import pytest

RECIPE = Path(__file__).parents[2] / "engine" / "starter_recipe"


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """The recipe's files, which are run by path and are no package."""
    monkeypatch.syspath_prepend(str(RECIPE))
    modules = {}
    for name in ("licences", "corpus"):
        spec = importlib.util.spec_from_file_location(name, RECIPE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        modules[name] = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, modules[name])
        spec.loader.exec_module(modules[name])
    return modules


@pytest.mark.parametrize(
    ("expression", "passes"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND MPL-2.0", False),
        ("(BSD-3-Clause OR GPL-2.0-only) AND Apache-2.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-or-later", False),
    ],
)
def test_expressions(recipe: dict[str, ModuleType], expression: str, passes: bool) -> None:
    assert recipe["licences"].allowed(expression) is passes


@pytest.mark.parametrize("expression", ["", "MIT OR", "(MIT", "MIT MIT", "AND MIT", "MIT, Apache"])
def test_broken_expressions(recipe: dict[str, ModuleType], expression: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  any parse error
        recipe["licences"].allowed(expression)


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ([("License-Expression", "MIT")], True),
        ([("License", "BSD"), ("Classifier", "License :: OSI Approved :: BSD License")], True),
        ([("Classifier", "License :: OSI Approved :: MIT License")], True),
        ([("License", "MIT"), ("Classifier", "License :: OSI Approved :: GNU General Public License v3 (GPLv3)")], False),
        ([("License", "GPLv3"), ("Classifier", "License :: OSI Approved :: MIT License")], False),
        ([("License-Expression", "LicenseRef-Own")], False),
        ([("License", "see the file")], False),
        ([], False),
    ],
)
def test_verdicts(recipe: dict[str, ModuleType], headers: list[tuple[str, str]], passes: bool) -> None:
    metadata = Message()
    for name, value in headers:
        metadata[name] = value
    licence, reason = recipe["licences"].verdict(metadata)
    assert bool(licence) is passes
    assert bool(reason) is not passes


@pytest.mark.parametrize(
    ("path", "held"),
    [("flask/app.py", True), ("x/csv.py", True), ("test/test_csv.py", True), ("a/requests/b.py", True), ("x/cvs.py", False)],
)
def test_held_out_names(recipe: dict[str, ModuleType], path: str, held: bool) -> None:
    assert recipe["corpus"].is_held_out(Path(path)) is held
