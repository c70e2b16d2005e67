"""A handler as it is registered: how its params are read, and what is answered when they cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False)
class Handler:
    """Called with the params; returns the result, or a Task of it. It runs on the loop and must not block."""

    call: Callable[[Any], Any]
    lenient: Callable[[Any], Any] | None = None
    """Mends what real clients send before it is given its type."""
    malformed: Callable[[], Any] | None = None
    """The result for params that cannot be read; None: the error -32602."""
    unreadable: Callable[[Any], None] | None = None
    """What is done about a notification whose params cannot be read."""
    failed: Callable[[], Any] | None = None
    """The result when something of ours goes wrong; None: the error -32603."""

    def __call__(self, params: Any) -> Any:
        """Handle a message."""
        return self.call(params)
