"""A canvas: the hole's open positions, then the suffix's first tokens, pinned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Canvas:
    """`[hole | pins]`, one row; B candidates start from the same one.

    `banned` [R, V] is true where an open row must not hold an id: control ids everywhere, and on the first row all that do not
    continue what token healing gave back.
    """

    hole: int
    pins: Tensor
    """[P] int64."""
    banned: Tensor | None

    @property
    def length(self) -> int:
        """Positions in all, C."""
        return self.hole + len(self.pins)

    def filled(self, open_ids: Tensor) -> Tensor:
        """Open ids [B, R] → whole canvases [B, C]: the pins are put back each time, so that no pass can lose them."""
        return torch.cat([open_ids, self.pins.expand(len(open_ids), -1)], dim=1)


def make_canvas(
    hole: int, pins: Sequence[int], *, control: Tensor | None, first_allowed: Sequence[int], device: torch.device
) -> Canvas:
    """A canvas with `hole` open positions. `control` [V] is true for ids that no open row may hold."""
    banned = None
    if control is not None:
        banned = control.expand(hole, -1)
        if first_allowed:
            banned = banned.clone()
            banned[0] = True
            banned[0, torch.tensor(list(first_allowed), device=device)] = False
    return Canvas(hole, torch.tensor(list(pins), dtype=torch.int64, device=device), banned)
