"""On what was measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

BUSY = 0.3
"""Load per core above which a row compares with nothing."""


def device() -> str:
    """The processor's name and its cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{name}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    """Of Python and the packages that a figure depends on."""
    found = {"python": platform.python_version()}
    for name in ("dg-lsp", "torch", "transformers", "tokenizers"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The checkout's commit, with `+` when files differ from it; empty outside a checkout."""
    root = Path(__file__).parents[2]
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        return head + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def load_per_core() -> float:
    """Load average of the last minute, per core."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _git(root: Path, *arguments: str) -> str:
    run = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=10)  # noqa: S603, S607 - git from the PATH
    return run.stdout.strip()
