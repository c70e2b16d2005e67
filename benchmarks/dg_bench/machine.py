"""On what was measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

from dg_bench import checkout

_PACKAGES = ("dg-lsp", "pygls", "lsprotocol", "torch", "transformers", "tokenizers")


def device(kind: str = "cpu") -> str:
    """The GPU's name for `cuda`, else the processor's, its cores, and the threads that torch uses of them."""
    torch = sys.modules.get("torch")
    if kind.startswith("cuda") and torch is not None:
        return str(torch.cuda.get_device_name(kind))
    threads = "" if torch is None else f", {torch.get_num_threads()} threads"
    return f"{_processor()}, {os.cpu_count()} cores{threads}"


def versions() -> dict[str, str]:
    """Of Python and the packages that a figure depends on."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The checkout's commit, with `+` when tracked files differ from it; the package's version where git says nothing."""
    root = checkout.root()
    try:
        if root is not None:
            head = _git(root, "rev-parse", "--short=12", "HEAD")
            return head + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        pass
    return versions().get("dg-lsp", "unknown")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _git(root: Path, *arguments: str) -> str:
    run = subprocess.run(  # noqa: S603 - our own words
        ["git", "-C", str(root), *arguments],  # noqa: S607 - git from the PATH
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return run.stdout.strip()
