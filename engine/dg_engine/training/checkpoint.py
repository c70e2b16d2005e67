"""A training run in one safetensors file: weights, optimizer state, and in its header how far the run is. No pickle.

Batches and all noise follow from the seed and a step's number, so that the place in the data is that number.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from dg_engine.training.network import Network
from dg_engine.training.optimizers import Optimizers


@dataclass
class Place:
    """How far a run is."""

    seed: int
    step: int = 0
    seconds: float = 0.0
    """Time trained, over all its sessions."""
    tokens: int = 0


def save(file: Path, network: Network, optimizers: Optimizers, place: Place) -> None:
    """Replace the file in one go; a copy of the header lies beside it for people."""
    tensors = {f"weights.{name}": tensor.detach() for name, tensor in network.parameters.items()}
    tensors |= {f"scalars.{name}": tensor for name, tensor in network.scalars.items()}
    tensors |= {f"state.{name}": tensor for name, tensor in optimizers.state().items()}
    header = json.dumps(asdict(place))
    partial = file.with_suffix(".part")
    save_file({name: tensor.contiguous().cpu() for name, tensor in tensors.items()}, partial, metadata={"place": header})
    partial.replace(file)
    file.with_suffix(".json").write_text(header + "\n")


def restore(file: Path, network: Network, optimizers: Optimizers | None = None) -> Place:
    """Load weights, and the optimizers' state where they are given, in place."""
    with safe_open(file, framework="pt") as held:
        names = list(held.keys())
        with torch.no_grad():
            for name, parameter in network.parameters.items():
                parameter.copy_(held.get_tensor(f"weights.{name}"))
        for name in network.scalars:
            network.scalars[name] = held.get_tensor(f"scalars.{name}").to(network.device)
        if optimizers is not None:
            optimizers.restore({n.removeprefix("state."): held.get_tensor(n) for n in names if n.startswith("state.")})
        place: dict[str, Any] = json.loads(held.metadata()["place"])
    return Place(**place)
