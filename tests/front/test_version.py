"""The version that the server reports is the package's."""

from __future__ import annotations

import tomllib
from pathlib import Path

import dg_lsp

ROOT = Path(__file__).parents[2]


def test_version() -> None:
    """Written twice, because reading package metadata at start costs more than the check here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert dg_lsp.__version__ == project["version"]
