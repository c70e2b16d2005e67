"""One window: a server, somebody who types in it, and what became of every request."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dg_bench.drive.client import Client, MessageId, ServerGoneError
from dg_bench.drive.document import AUTOMATIC, INVOKED, METHOD, Document
from dg_bench.items import Item

PATIENCE: Final = 60.0
"""Seconds after which a request counts as lost: an engine may have to be started, and load its model."""
CANCELLED: Final = -32800
KEYS: Final = 8
_PAUSE: Final = (0.02, 0.12)
_CANCELLED_SHARE, _CLOSED_SHARE, _INVOKED_SHARE = 0.2, 0.1, 0.1


@dataclass
class Tally:
    """What became of requests; times in milliseconds."""

    answered_ms: list[float] = field(default_factory=list)
    cancelled: int = 0
    lost: list[str] = field(default_factory=list)
    """Why, each."""

    def note(self, answer: Any, ms: float) -> None:
        """One answer."""
        if isinstance(answer.get("result"), list):
            self.answered_ms.append(ms)
        elif answer.get("error", {}).get("code") == CANCELLED:
            self.cancelled += 1
        else:
            self.lost.append(f"answered {answer}")


class Window(threading.Thread):
    """Types until told to stop. It may be crashed at any time, and opens again."""

    def __init__(self, number: int, environment: Mapping[str, str], items: Sequence[Item], log: Path) -> None:
        super().__init__(name=f"window {number}", daemon=True)
        self.tally = Tally()
        self.crashes = 0
        self._environment, self._items, self._log = environment, items, log
        self._random = random.Random(number)  # noqa: S311 - reproducible, no secret
        self._done = threading.Event()
        self._crash = threading.Event()
        self.client = self._open()

    def stop(self) -> None:
        """Let it end after the request in hand."""
        self._done.set()

    def crash(self) -> None:
        """Have its server killed at the next key."""
        self._crash.set()

    def run(self) -> None:
        """Type in one document after the other."""
        while not self._done.is_set():
            try:
                self._write(self._random.choice(self._items))
            except ServerGoneError:
                if not self._crash.is_set():
                    self.tally.lost.append("the server went by itself")
                self._reopen()
        self.tally.lost += [f"answered twice: {one}" for one in self.client.doubled]
        self.client.stop()
        self.client.kill()  # closes our ends of its pipes

    def _open(self) -> Client:
        client = Client(environment=self._environment, errors=self._log)
        client.initialize()
        return client

    def _reopen(self) -> None:
        self._crash.clear()
        self.crashes += 1
        self.client.kill()
        self.client = self._open()

    def _write(self, item: Item) -> None:
        document = Document(self.client, f"{item.prefix}‸{item.suffix}")
        for sign in item.gold[:KEYS]:
            if self._crash.is_set():
                self.client.process.kill()
                raise ServerGoneError("killed")
            document.type(sign)
            self._done.wait(self._random.uniform(*_PAUSE))
            self._ask(document)
        if self._random.random() > _CLOSED_SHARE:
            document.close()

    def _ask(self, document: Document) -> None:
        trigger = INVOKED if self._random.random() < _INVOKED_SHARE else AUTOMATIC
        started = time.perf_counter()
        asked = self.client.begin(METHOD, document.params(trigger))
        if self._random.random() < _CANCELLED_SHARE:
            self.client.cancel(asked)
        self._settle(asked, started)

    def _settle(self, asked: MessageId, started: float) -> None:
        try:
            answer = self.client.wait(asked, PATIENCE)
        except TimeoutError:
            self.tally.lost.append(f"no answer in {PATIENCE:.0f} s")
        else:
            self.tally.note(answer, (time.perf_counter() - started) * 1000)
