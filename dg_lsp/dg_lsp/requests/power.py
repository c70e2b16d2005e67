"""Whether the machine runs on its battery: then nothing is computed that nobody has asked for yet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

LOOK_SECONDS: Final = 60.0


class Power:
    """Looks once a minute, on a thread of its own: asking the system, and loading what asks it, may take longer than a key may."""

    def __init__(self, look: Callable[[], bool] | None = None) -> None:
        self._look = look or _on_battery
        self._looked = float("-inf")
        self._on_battery = False

    @property
    def on_battery(self) -> bool:
        """What the last look has found; false also where there is no battery, or the system does not say."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            threading.Thread(target=self._note, name="dg-lsp power", daemon=True).start()
        return self._on_battery

    def _note(self) -> None:
        self._on_battery = self._look()


def _on_battery() -> bool:
    import psutil  # noqa: PLC0415 - a start of the server does not wait for it

    try:
        battery = psutil.sensors_battery()
    except (AttributeError, OSError, RuntimeError):  # not every system has the call
        return False
    return battery is not None and battery.power_plugged is False
