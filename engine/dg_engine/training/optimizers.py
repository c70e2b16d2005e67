"""Muon for matrices, AdamW for the rest: embedding, router, norms and scales."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from dg_engine.training.network import Network


class Optimizers:
    """Both, with one schedule."""

    def __init__(self, network: Network, *, matrix_rate: float, other_rate: float, clip: float = 1.0) -> None:
        """`matrix_rate` and `other_rate` are the peaks of the learning rates; gradients are clipped to norm `clip`."""
        self._network, self._rates, self._clip = network, (matrix_rate, other_rate), clip
        matrices = [p for name, p in network.parameters.items() if is_matrix(name, p)]
        others = [p for name, p in network.parameters.items() if not is_matrix(name, p)]
        self._muon = torch.optim.Muon(matrices, lr=matrix_rate, weight_decay=0.01)
        self._adam = torch.optim.AdamW(others, lr=other_rate, betas=(0.9, 0.98), weight_decay=0.0)

    def step(self, scale: float) -> float:
        """One step at a share of the peak rates; forgets the gradients and returns their norm."""
        norm = torch.nn.utils.clip_grad_norm_(list(self._network.parameters.values()), self._clip)
        for optimizer, rate in zip((self._muon, self._adam), self._rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
            optimizer.step()
            optimizer.zero_grad()
        return float(norm)

    def state(self) -> dict[str, Tensor]:
        """All tensors of both states by `parameter/key`."""
        return {
            f"{name}/{key}": torch.as_tensor(value)
            for name, parameter in self._network.parameters.items()
            for key, value in self._of(name, parameter).state.get(parameter, {}).items()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Put back what `state` gave."""
        for key, tensor in state.items():
            name, part = key.rsplit("/", 1)
            parameter = self._network.parameters[name]
            self._of(name, parameter).state[parameter][part] = tensor.clone()

    def _of(self, name: str, parameter: Tensor) -> Any:
        return self._muon if is_matrix(name, parameter) else self._adam


def is_matrix(name: str, parameter: Tensor) -> bool:
    """Whether a parameter is a matrix inside the network, which Muon is made for."""
    return parameter.ndim == 2 and "embed" not in name and "router" not in name  # noqa: PLR2004  rows and columns
