"""How much memory an engine may take."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from dg_engine.errors import ModelError
from dg_engine.loading import device as devices
from dg_engine.loading.builtin import builtin_folder
from dg_engine.loading.config import NetworkConfig
from dg_engine.loading.device import check_fits, needed_bytes, slot_budget
from dg_engine.loading.folder import open_folder

CPU, FP32, MB = torch.device("cpu"), torch.float32, 1024**2
Free = Callable[[int | None], None]


@pytest.fixture(scope="module")
def network() -> NetworkConfig:
    return open_folder(builtin_folder()).network


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Free:
    """Sets how much memory is free."""
    return lambda size: monkeypatch.setattr(devices, "free_bytes", lambda _: size)


def test_a_model_over_the_limit_is_refused_with_what_to_do(network: NetworkConfig, free: Free) -> None:
    free(64 * 1024 * MB)
    needed = needed_bytes(network, FP32)
    check_fits(network, CPU, FP32, needed)
    with pytest.raises(ModelError, match="memoryLimitGb"):
        check_fits(network, CPU, FP32, needed - 1)


@pytest.mark.parametrize(
    ("free_mb", "limit_mb", "budget_mb"),
    [(64 * 1024, None, 512), (400, None, 100), (10, None, 16), (None, None, 512), (64 * 1024, 1, 16)],
)
def test_the_budget_of_documents(
    network: NetworkConfig, free: Free, free_mb: int | None, limit_mb: int | None, budget_mb: int
) -> None:
    """A quarter of what is free, half a gigabyte at most, enough for some documents at least."""
    free(None if free_mb is None else free_mb * MB)
    assert slot_budget(network, CPU, FP32, None if limit_mb is None else limit_mb * MB) == budget_mb * MB


def test_the_limit_counts_what_the_weights_take(network: NetworkConfig, free: Free) -> None:
    free(64 * 1024 * MB)
    assert slot_budget(network, CPU, FP32, needed_bytes(network, FP32) + 100 * MB) == 100 * MB
