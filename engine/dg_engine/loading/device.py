"""On what a model runs, and whether it fits there."""

from __future__ import annotations

from pathlib import Path

import torch

from dg_engine.errors import ModelError, TooLittleMemoryError
from dg_engine.loading.config import NetworkConfig

CPU_PARAMETERS = 1_000_000_000
"""Above this a CPU answers too slowly to be of use."""
_HEADROOM = 1.2
_OLDEST_CUDA = (8, 0)
_GB = 1e9
_SLOTS_AT_MOST, _SLOTS_AT_LEAST = 512 * 1024**2, 16 * 1024**2
"""Of the starter the least is some ten documents."""


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


def check_fits(network: NetworkConfig, device: torch.device, dtype: torch.dtype, limit: int | None = None) -> None:
    """Raises ModelError for a network too large for a CPU, TooLittleMemoryError for one that needs more than is free, or than `limit`."""
    if device.type == "cpu" and network.parameters > CPU_PARAMETERS:
        raise ModelError(
            f"This model has {network.parameters / 1e9:.1f} billion parameters, too many for a CPU; "
            "use a GPU, a remote engine, or the built-in starter."
        )
    needed = needed_bytes(network, dtype)
    if limit is not None and needed > limit:
        raise TooLittleMemoryError(
            f"This model needs about {needed / _GB:.1f} GB, and the engine may take {limit / _GB:.1f} GB; "
            "raise dgLsp.engine.memoryLimitGb (--memory-limit-gb), or use the built-in starter."
        )
    free = free_bytes(device)
    if free is not None and needed > free:
        raise TooLittleMemoryError(
            f"This model needs about {needed / _GB:.1f} GB on {device} and {free / _GB:.1f} GB are free; "
            "close what holds the memory, or use the built-in starter."
        )


def needed_bytes(network: NetworkConfig, dtype: torch.dtype) -> int:
    """What a network takes: its weights, and some room to work in."""
    return int(network.parameters * dtype.itemsize * _HEADROOM)


def slot_budget(network: NetworkConfig, device: torch.device, dtype: torch.dtype, limit: int | None = None) -> int:
    """Bytes for what was read of documents, once the weights are loaded: a quarter of what is free, as far as `limit` goes."""
    free = free_bytes(device)
    budget = _SLOTS_AT_MOST if free is None else min(_SLOTS_AT_MOST, free // 4)
    if limit is not None:
        budget = min(budget, limit - needed_bytes(network, dtype))
    return max(budget, _SLOTS_AT_LEAST)


def free_bytes(device: torch.device) -> int | None:
    """Memory that can be had on a device, in bytes; None where the system does not tell."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)
