"""The spot that rules judge a text by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a text would be inserted; all LF. `before` and `after` are the windows around the cursor."""

    before: str
    after: str
    max_lines: int = 1
    confidence: float = 1.0
    """Of the text, as the engine sees it."""
    threshold: float = 0.0
    """Confidence below which nothing is shown."""

    @property
    def line_before(self) -> str:
        """The cursor's line up to the cursor."""
        return self.before[self.before.rfind("\n") + 1 :]

    @property
    def line_after(self) -> str:
        """The cursor's line from the cursor on."""
        return self.after.split("\n", 1)[0]
