"""What became of suggestions: each counts once, however often and by however many ways a client tells of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

from dg_engine.messages import Outcome
from dg_engine.process.counters import Counters

_KEPT = 256
"""Jobs remembered: who tells of an older one tells late."""


class Outcomes:
    """Adds to the counters `shown`, `accepted` and `accepted_chars`."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._chars: OrderedDict[Hashable, int] = OrderedDict()

    def note(self, client: Hashable, outcome: Outcome) -> None:
        """A client tells of a job; only what is new counts."""
        key = (client, outcome.id)
        before = self._chars.pop(key, None)
        if before is None:
            self._counters.add("shown")
        if outcome.accepted_chars > 0 and not before:
            self._counters.add("accepted")
        self._counters.add("accepted_chars", max(0, outcome.accepted_chars - (before or 0)))
        self._chars[key] = max(before or 0, outcome.accepted_chars)
        while len(self._chars) > _KEPT:
            self._chars.popitem(last=False)
