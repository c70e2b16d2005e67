"""Which files hold the weights, and whether they are whole. Imports no torch."""

from __future__ import annotations

import json
from pathlib import Path

from dg_engine.errors import ModelError

INDEX = "model.safetensors.index.json"
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_HEADER_CAP = 100 * 1024 * 1024
_LENGTH_BYTES = 8


def find_shards(path: Path) -> tuple[Path, ...]:
    """The folder's safetensors files, each checked for its length. Raises ModelError."""
    files = _indexed(path / INDEX) if (path / INDEX).is_file() else sorted(path.glob("*.safetensors"))
    if not files:
        pickled = next((file for pattern in _PICKLED for file in sorted(path.glob(pattern))), None)
        if pickled is not None:
            raise ModelError(f"{pickled} is a pickled weights file, which can run code when loaded; convert it to safetensors.")
        raise ModelError(f"{path} has no *.safetensors file; fetch the weights.")
    for file in files:
        _check_whole(file)
    return tuple(files)


def _indexed(index: Path) -> list[Path]:
    try:
        names = sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(f"{index} cannot be read ({error}); fetch it again.") from None
    files = [index.parent / str(name) for name in names]
    for file in files:
        if file.parent != index.parent or not file.is_file():
            raise ModelError(f"{index} names {file.name}, which is not in the folder; fetch it.")
    return files


def _check_whole(file: Path) -> None:
    """A safetensors file says in its header how long it is: 8 bytes of length, a JSON header, the data."""
    size = file.stat().st_size
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
            header = json.loads(stream.read(length)) if length <= min(size - _LENGTH_BYTES, _HEADER_CAP) else None
        ends = [t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"] if header is not None else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        ends = None
    if ends is None:
        raise ModelError(f"{file} is no safetensors file, or is cut off in its header; fetch it again.")
    wanted = _LENGTH_BYTES + length + max(ends, default=0)
    if size != wanted:
        raise ModelError(
            f"{file} has {size} bytes where its header promises {wanted}: it is cut off or damaged; fetch it again."
        )
