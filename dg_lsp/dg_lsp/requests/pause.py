"""A pause that the user asked for: nothing is completed until it is over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

DEFAULT_MINUTES: Final = 30.0
LONGEST_MINUTES: Final = 7 * 24 * 60.0


class Pause:
    """Ends by itself."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = -math.inf

    @property
    def minutes_left(self) -> float:
        """0 when there is none."""
        return max(0.0, self._until - self._clock()) / 60

    def begin(self, minutes: float) -> None:
        """For so many minutes from now; 0 ends it."""
        self._until = self._clock() + 60 * min(max(0.0, minutes), LONGEST_MINUTES)

    @property
    def reason(self) -> str | None:
        """For the status."""
        left = self.minutes_left
        return f"Completion is paused for {math.ceil(left)} more min." if left > 0 else None
