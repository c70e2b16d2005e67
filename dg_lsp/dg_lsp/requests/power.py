"""Whether the machine runs on its battery: then nothing is computed that nobody has asked for yet."""

from __future__ import annotations

import time
from typing import Final

LOOK_SECONDS: Final = 60.0


class Power:
    """Looks once a minute."""

    def __init__(self) -> None:
        self._looked = float("-inf")
        self._on_battery = False

    @property
    def on_battery(self) -> bool:
        """False also where there is no battery, or the system does not say."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked, self._on_battery = now, _on_battery()
        return self._on_battery


def _on_battery() -> bool:
    import psutil  # noqa: PLC0415 - a start of the server does not wait for it

    try:
        battery = psutil.sensors_battery()
    except (AttributeError, OSError, RuntimeError):  # not every system has the call
        return False
    return battery is not None and battery.power_plugged is False
