"""Four windows on one engine for some minutes, and the chaos that befalls them."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from dg_bench.drive.processes import resident, until
from dg_bench.drive.windows import engines
from dg_bench.front.stage import folders
from dg_bench.items import Item
from dg_bench.progress import say
from dg_bench.soak.window import Tally, Window

WINDOWS: Final = 4
LOOK_SECONDS: Final = 5.0
ENGINE_KILL_SECONDS: Final = 160.0
"""Between two kills of the engine: three losses within five minutes would end it, as they should."""
WINDOW_KILL_SECONDS: Final = 25.0
_SETTLED_SECONDS: Final = 60.0
"""After its start a process still grows for good reasons: caches fill."""


@dataclass
class Growth:
    """Resident memory of one process over time: seconds and bytes."""

    at: list[float] = field(default_factory=list)
    held: list[int] = field(default_factory=list)

    def slope(self) -> float | None:
        """MB a minute by least squares, from a minute after the first look on; None with too few looks."""
        pairs = [(t / 60, b / 2**20) for t, b in zip(self.at, self.held, strict=True) if t - self.at[0] >= _SETTLED_SECONDS]
        if len(pairs) < 2 * LOOK_SECONDS:
            return None
        mean_t, mean_b = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        spread = sum((t - mean_t) ** 2 for t, _ in pairs)
        slope: float = sum((t - mean_t) * (b - mean_b) for t, b in pairs) / spread
        return slope


@dataclass
class Soak:
    """What came of it."""

    tallies: list[Tally]
    engine_kills: int
    window_kills: int
    growths: dict[str, list[Growth]]

    @property
    def lost(self) -> list[str]:
        """Why, each request that was."""
        return [why for tally in self.tallies for why in tally.lost]

    @property
    def answered_ms(self) -> list[float]:
        """From request to answer, of all windows."""
        return [ms for tally in self.tallies for ms in tally.answered_ms]


def soak(minutes: float, items: Sequence[Item], seed: int) -> Soak:
    """Run it; progress goes to stderr once a minute."""
    with folders() as (folder, environment):
        windows = [Window(number, environment, items, folder / f"window{number}") for number in range(WINDOWS)]
        for window in windows:
            window.start()
        chaos = _Chaos(windows, environment, seed)
        end = time.monotonic() + minutes * 60
        while time.monotonic() < end:
            time.sleep(min(LOOK_SECONDS, max(0.0, end - time.monotonic())))
            chaos.look()
        for window in windows:
            window.stop()
        for window in windows:
            window.join(120)
        return Soak([one.tally for one in windows], chaos.engine_kills, chaos.window_kills, chaos.growths())


class _Chaos:
    """Kills now and then, and looks at memory between."""

    def __init__(self, windows: list[Window], environment: Mapping[str, str], seed: int) -> None:
        self._windows, self._environment = windows, environment
        self._random = random.Random(seed)  # noqa: S311 - reproducible, no secret
        self._begun = time.monotonic()
        self._engine_killed = self._window_killed = self._said = self._begun
        self.engine_kills = self.window_kills = 0
        self._growth: dict[tuple[str, int], Growth] = {}
        self._engine: int | None = None

    def growths(self) -> dict[str, list[Growth]]:
        """By kind of process."""
        return {kind: [one for (name, _), one in self._growth.items() if name == kind] for kind in ("engine", "server")}

    def look(self) -> None:
        """Note memory; kill what is due."""
        now = time.monotonic()
        if self._engine is None or not _note(self._growth, "engine", self._engine, now):
            self._engine = _engine(self._environment)
        for window in self._windows:
            _note(self._growth, "server", window.client.process.pid, now)
        if now - self._engine_killed >= ENGINE_KILL_SECONDS and self._engine is not None:
            self._engine_killed, self.engine_kills = now, self.engine_kills + 1
            os.kill(self._engine, signal.SIGKILL)
            self._engine = None
        elif now - self._window_killed >= WINDOW_KILL_SECONDS:
            self._window_killed, self.window_kills = now, self.window_kills + 1
            self._random.choice(self._windows).crash()
        if now - self._said >= 60:  # noqa: PLR2004 - a minute
            self._said = now
            answered = sum(len(window.tally.answered_ms) for window in self._windows)
            lost = sum(len(window.tally.lost) for window in self._windows)
            say(f"soak: {(now - self._begun) / 60:.0f} min, {answered} answers, {lost} lost")


def _note(growth: dict[tuple[str, int], Growth], kind: str, pid: int, now: float) -> bool:
    """Whether the process was there to be looked at."""
    with suppress(OSError, IndexError, ValueError):
        held = resident(pid)
        if held:
            one = growth.setdefault((kind, pid), Growth())
            one.at.append(now)
            one.held.append(held)
            return True
    return False


def _engine(environment: Mapping[str, str]) -> int | None:
    """The only engine's process, once there is one."""

    def look() -> list[Any]:
        return engines(environment)

    found = until(look)
    return int(found[0]["pid"]) if len(found) == 1 else None
