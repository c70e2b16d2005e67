"""The version of this package, as far as two processes compare theirs."""

from __future__ import annotations

import importlib.metadata
import re


def _installed() -> str:
    try:
        return importlib.metadata.version("dg-lsp")
    except importlib.metadata.PackageNotFoundError:
        return "0"


__version__ = _installed()


def is_newer(version: str, than: str) -> bool:
    """Whether one release is newer than another: by their numbers alone."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> list[int]:
    release = re.match(r"\d+(?:\.\d+)*", version)
    return [int(part) for part in release.group().split(".")] if release else []
