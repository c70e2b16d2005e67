"""A job as the scheduler sees it: who asked, when, and how urgent it is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

Urgency = Literal["interactive", "speculative", "rewrite"]
URGENCIES: tuple[Urgency, ...] = ("interactive", "speculative", "rewrite")
"""Most urgent first."""


@dataclass(eq=False)
class Ticket:
    """One job's place in the queue; compared by identity."""

    client: Hashable
    id: int
    document: str
    urgency: Urgency
    received: float
    """time.monotonic() seconds."""
    started: bool = False
    cancelled: bool = False
    cancelled_at: float = 0.0
    """time.monotonic() seconds, once it is cancelled."""
