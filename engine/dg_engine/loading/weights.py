"""Tensors by name from a folder's safetensors files, cast as they are copied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from dg_engine.errors import ModelError
from dg_engine.loading.folder import ModelFolder

DECODER = "model.decoder."
ENCODER = "model.encoder.language_model."


class Weights:
    """A folder's tensors. Encoder and decoder share all but the layer scalars, and a release may write either side's names."""

    def __init__(
        self, folder: ModelFolder, device: torch.device, dtype: torch.dtype, progress: Callable[[float], None] | None = None
    ) -> None:
        self._folder, self._device, self._dtype = folder, device, dtype
        self._where: dict[str, Path] = {}
        self._files: dict[Path, Any] = {}
        self._progress, self._read = progress, 0
        for file in folder.weight_files:
            try:
                handle = safe_open(file, framework="pt")
            except (SafetensorError, OSError) as error:
                raise ModelError(f"{file} cannot be read as safetensors ({error}); fetch it again.") from None
            self._files[file] = handle
            self._where.update(dict.fromkeys(handle.keys(), file))

    def shared(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor of the trunk, from whichever side has it."""
        return self._get((DECODER + name, ENCODER + name), shape)

    def decoder(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor that belongs to the decoder, the encoder's where it has none of its own."""
        return self._get((DECODER + name, ENCODER + name), shape)

    def encoder(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor that belongs to the encoder, the decoder's where it has none of its own."""
        return self._get((ENCODER + name, DECODER + name), shape)

    def _get(self, names: tuple[str, ...], shape: tuple[int, ...]) -> Tensor:
        name = next((name for name in names if name in self._where), None)
        if name is None:
            raise ModelError(f"{self._folder.path} has no tensor {names[0]}; fetch the weights again.")
        file = self._where[name]
        tensor: Tensor = self._files[file].get_tensor(name)
        if tuple(tensor.shape) != shape:
            raise ModelError(
                f"{file} has {name} in shape {list(tensor.shape)}, config.json asks for {list(shape)}; they do not belong together."
            )
        self._read += 1
        if self._progress is not None:
            self._progress(min(1.0, self._read / len(self._where)))
        return tensor.to(device=self._device, dtype=self._dtype)
