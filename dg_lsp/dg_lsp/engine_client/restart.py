"""How often a lost engine is started again."""

from __future__ import annotations

from collections import deque
from typing import Final

DELAYS: Final = (0.0, 1.0, 4.0, 16.0)
"""Seconds before the first, second, ... start after a loss."""

WINDOW: Final = 300.0
"""Seconds in which losses are counted."""

LIMIT: Final = 3
"""Losses within the window after which we stop."""


class RestartPolicy:
    """Counts losses. Losses that lie apart climb the delays; three within five minutes end it."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque()
        self._climbed = 0

    def lost(self, now: float) -> float | None:
        """Note a loss at `now` (seconds, monotonic); returns the delay before the next start, or None: do not start again."""
        if self._recent and now - self._recent[-1] > 2 * WINDOW:
            self._climbed = 0
        self._recent.append(now)
        if self.exhausted(now):
            return None
        delay = DELAYS[min(self._climbed, len(DELAYS) - 1)]
        self._climbed += 1
        return delay

    def exhausted(self, now: float) -> bool:
        """Whether too many losses lie within the window that ends now."""
        while self._recent and now - self._recent[0] > WINDOW:
            self._recent.popleft()
        return len(self._recent) >= LIMIT
