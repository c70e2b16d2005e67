"""What became of a suggestion, read from what a client sends: anything may stand there, and the engine gets only what it takes."""

from __future__ import annotations

from typing import Any, Final

from dg_engine.messages import Outcome

ACCEPTED: Final = "dg.server.accepted"
"""The command that runs when an item has been inserted."""
_MOST: Final = 2**31 - 1


def outcome(job: Any, chars: Any = 0) -> Outcome | None:
    """A suggestion was shown, and `chars` of it were accepted; None when that cannot be."""
    return Outcome(id=job, shown=True, accepted_chars=chars) if _count(job) and _count(chars) else None


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
