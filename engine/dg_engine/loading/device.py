"""On what a model runs, and whether it fits there."""

from __future__ import annotations

from pathlib import Path

import torch

from dg_engine.errors import ModelError
from dg_engine.loading.config import NetworkConfig

CPU_PARAMETERS = 1_000_000_000
"""Above this a CPU answers too slowly to be of use."""
_HEADROOM = 1.2
_OLDEST_CUDA = (8, 0)
_GB = 1e9


def choose_device(name: str) -> torch.device:
    """`auto`: a CUDA device of compute capability 8.0 or later, else the CPU. Raises ModelError for one that is not there."""
    if name == "cpu":
        return torch.device("cpu")
    usable = torch.cuda.is_available() and torch.cuda.get_device_capability() >= _OLDEST_CUDA
    if name == "cuda" and not usable:
        raise ModelError("No CUDA device of compute capability 8.0 or later is usable here; set the device to cpu or auto.")
    return torch.device("cuda" if usable else "cpu")


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """`auto`: fp32 on a CPU, bf16 on a GPU."""
    if name == "auto":
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    return torch.float32 if name == "float32" else torch.bfloat16


def check_fits(network: NetworkConfig, device: torch.device, dtype: torch.dtype) -> None:
    """Raises ModelError when the network is too large for a CPU or for the memory that is free now."""
    if device.type == "cpu" and network.parameters > CPU_PARAMETERS:
        raise ModelError(
            f"This model has {network.parameters / 1e9:.1f} billion parameters, too many for a CPU; "
            "use a GPU, a remote engine, or the built-in starter."
        )
    needed = int(network.parameters * dtype.itemsize * _HEADROOM)
    free = free_bytes(device)
    if free is not None and needed > free:
        raise ModelError(
            f"This model needs about {needed / _GB:.1f} GB on {device} and {free / _GB:.1f} GB are free; "
            "close what holds the memory, or use the built-in starter."
        )


def free_bytes(device: torch.device) -> int | None:
    """Memory that can be had on a device, in bytes; None where the system does not tell."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)
