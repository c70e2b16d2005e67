"""What makes two engines the same one: its hash is in the name of the socket and of the lock. Imports no torch."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from dg_engine.errors import EngineError
from dg_engine.loading.builtin import builtin_folder
from dg_engine.messages import PROTOCOL

_PATTERNS = ("*.safetensors", "*.safetensors.index.json", "tokenizer*")
_LENGTH = 12
_SOURCE_ROOTS = ("engine/dg_engine", "kernels/dg_kernels")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """An engine as it was asked for: `auto` stays `auto`, Welcome says what it became. `model` None is the built-in starter."""

    model: Path | None = None
    mode: str = "shared"
    device: str = "auto"
    dtype: str = "auto"
    layout: str = "auto"
    backbone: str = "auto"

    @property
    def folder(self) -> Path:
        """The model folder."""
        return self.model if self.model is not None else builtin_folder()


def identity(wanted: Wanted) -> str:
    """A short hash in hexadecimal. Raises EngineError when the model folder cannot be looked at."""
    parts = [str(PROTOCOL), fingerprint(wanted.folder), source_digest()]
    parts += [wanted.mode, wanted.device, wanted.dtype, wanted.layout, wanted.backbone]
    return _digest(parts)[:_LENGTH]


def fingerprint(folder: Path) -> str:
    """The model: what its config.json says, and names, sizes and mtimes of weights and tokenizer, never their contents."""
    try:
        config = (folder / "config.json").read_bytes()
        files = sorted({path for pattern in _PATTERNS for path in folder.glob(pattern)})
        return _digest([str(folder.resolve()), hashlib.sha256(config).hexdigest(), *_stamps(files)])
    except OSError as error:
        missing = error.filename if folder.is_dir() and error.filename else folder
        raise EngineError(f"The model folder {folder} cannot be read ({missing}: {error.strerror}): check its path.") from None


def source_digest(root: Path | None = None) -> str:
    """In a checkout, the state of the engine's source: an engine of older source is not used. Empty for an installed package."""
    root = root or Path(__file__).resolve().parents[3]
    if not (root / "pyproject.toml").is_file() or not (root / _SOURCE_ROOTS[0]).is_dir():
        return ""
    return _digest(_stamps(sorted(path for part in _SOURCE_ROOTS for path in (root / part).rglob("*.py"))))


def _stamps(files: Iterable[Path]) -> list[str]:
    return [f"{path.name} {info.st_size} {info.st_mtime_ns}" for path in files for info in [os.stat(path)]]  # noqa: PTH116 - as fast as it gets


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
