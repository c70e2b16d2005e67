"""Counters and histograms of a running engine: numbers only, no text."""

from __future__ import annotations

import threading
from collections import Counter, deque

_KEPT = 512


class Counters:
    """Sums by name, and the last 512 observations by name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sums: Counter[str] = Counter()
        self._last: dict[str, deque[float]] = {}

    def add(self, name: str, amount: int = 1) -> None:
        """Count."""
        with self._lock:
            self._sums[name] += amount

    def observe(self, name: str, value: float) -> None:
        """Note one value."""
        with self._lock:
            self._last.setdefault(name, deque(maxlen=_KEPT)).append(value)

    def forget(self, name: str) -> None:
        """Drop the observations of a name."""
        with self._lock:
            self._last.pop(name, None)

    def snapshot(self) -> tuple[dict[str, float], dict[str, list[float]]]:
        """Sums and last observations."""
        with self._lock:
            return dict(self._sums), {name: list(values) for name, values in self._last.items()}
