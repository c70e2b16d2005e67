"""What a scripted engine does with a job: rules, first match wins."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from dg_engine.errors import FailureKind
from dg_engine.messages import FillJob


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs it is for (`prefix_ends`, `document`: both must fit; empty fits all), and what becomes of them.

    `hold`: before its first pass the job waits for `ScriptedEngine.let_go`. `drop`: the connection ends instead of an answer.
    """

    prefix_ends: str = ""
    document: str = ""
    text: str = "value"
    passes: int = 1
    pass_ms: float = 0.0
    probability: float = 0.9
    hold: bool = False
    fail: FailureKind | None = None
    sentence: str = "As scripted."
    drop: bool = False

    def fits(self, job: FillJob) -> bool:
        """Whether this rule is for the job."""
        return job.prefix.endswith(self.prefix_ends) and job.document.endswith(self.document)


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A whole engine. `start`: ready at once, loading until `finish_loading`, or refusing with `reason`."""

    rules: list[Rule] = []
    languages: tuple[str, ...] = ("python",)
    start: Literal["ready", "loading", "refuse"] = "ready"
    reason: str = "The scripted engine refuses."

    @classmethod
    def read(cls, path: Path) -> Script:
        """The script in a JSON file. Raises msgspec.ValidationError with what does not fit."""
        return msgspec.json.decode(path.read_bytes(), type=cls)

    def rule(self, job: FillJob) -> Rule:
        """The first rule that fits; an answer of one word when none does."""
        return next((rule for rule in self.rules if rule.fits(job)), Rule())
