"""Where the loop's randomness comes from: a counter-based stream, keyed so that neither batch nor schedule changes it."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

_MASK = 0xFFFFFFFF
_STREAM_TOKENS = 1
_STREAM_EXPONENTIAL = 2


class NoiseSource(Protocol):
    """Random numbers for B candidates of a canvas at the given positions [R] (the open ones). Pass 0 is the start."""

    def tokens(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:
        """Ids [B, R], uniform over the vocabulary."""

    def exponential(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:
        """Exp(1) noise [B, R, V]."""


class CounterNoise:
    """Noise as a pure function of (seed, candidate, pass, position, token): a job repeats whatever else is in its batch."""

    def __init__(self, seed: int, candidates: int, device: torch.device) -> None:
        self._keys = [
            _mix_int(_mix_int(seed & _MASK) ^ _mix_int((seed >> 32) & _MASK) ^ (0x9E3779B9 * (c + 1)))
            for c in range(candidates)
        ]
        self._device = device

    def tokens(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:
        """Ids [B, R], uniform over the vocabulary (bias below vocabulary / 2³²)."""
        bits = torch.stack([_mix(self._row_keys(key, pass_, positions, _STREAM_TOKENS)) for key in self._keys])
        return (bits * vocabulary) >> 32

    def exponential(self, pass_: int, positions: Tensor, vocabulary: int) -> Tensor:
        """Exp(1) noise [B, R, V], strictly positive."""
        ids = torch.arange(vocabulary, device=self._device)
        return torch.stack([self._exponential(key, pass_, positions, ids) for key in self._keys])

    def _exponential(self, key: int, pass_: int, positions: Tensor, ids: Tensor) -> Tensor:
        rows = self._row_keys(key, pass_, positions, _STREAM_EXPONENTIAL)
        bits = _mix(rows[:, None] ^ (ids * 0x85EBCA6B & _MASK))
        uniform = (bits.to(torch.float32) + 0.5) * 2.0**-32
        return -torch.log(uniform.clamp(max=1 - 2.0**-24))  # 1 would give 0, and p / 0 wins every race

    def _row_keys(self, key: int, pass_: int, positions: Tensor, stream: int) -> Tensor:
        salt = _mix_int(key ^ _mix_int(pass_ * 4 + stream))
        return _mix(positions.to(self._device) ^ salt)


def _mix(x: Tensor) -> Tensor:
    """A 32-bit avalanche (the finaliser of MurmurHash3, public domain) on int64 tensors that hold 32-bit values."""
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & _MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & _MASK
    return x ^ (x >> 16)


def _mix_int(x: int) -> int:
    """The same avalanche on one number."""
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & _MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & _MASK
    return x ^ (x >> 16)
