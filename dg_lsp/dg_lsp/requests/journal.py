"""The last answers of each document, for `dg.server.explain`: kept in memory only, forgotten with the document."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Final, Literal

import msgspec

from dg_engine.messages import Candidate, Completion
from dg_lsp.requests.asked import Asked
from dg_lsp.shaping.pipeline import Acted, sure_of

KEPT: Final = 10

Source = Literal["engine", "memory", "nobody"]


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """One candidate: the model's text, what was shown of it, and what came between."""

    text: str
    shown: str
    rules: list[Acted] = []
    passes: int = 0
    stop: str = ""
    confidence: float = 1.0
    began: str = ""
    """What the canvas began from; empty: noise."""

    @classmethod
    def of(cls, candidate: Candidate, shown: str, rules: list[Acted]) -> Told:
        """From the engine's candidate."""
        sure = round(sure_of(candidate), 4)
        began = "a guess" if candidate.guess is not None else "the encoder's continuation" if candidate.continued else ""
        return cls(candidate.text, shown, rules, candidate.passes, candidate.stop, sure, began)


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one request was answered. `line` and `column` count from 1, columns in characters; times in ms, canvas in tokens."""

    line: int
    column: int
    version: int
    trigger: str
    source: Source
    ms: float
    reason: str = ""
    """Why nothing was shown."""
    candidates: list[Told] = []
    hole: int = 0
    pins: int = 0
    encoded: int = 0
    reused: int = 0
    queue_ms: float = 0.0
    encode_ms: float = 0.0
    denoise_ms: float = 0.0

    def plain(self) -> dict[str, Any]:
        """As it goes over the wire."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def explained(
    request: Asked,
    source: Source,
    *,
    since: float,
    reason: str = "",
    candidates: list[Told] | None = None,
    completion: Completion | None = None,
) -> Explanation:
    """What is to be known about an answer; `since` is when its request came (time.monotonic())."""
    made = completion or Completion(id=0, candidates=[])
    return Explanation(
        line=request.cursor.line + 1,
        column=request.cursor.col + 1,
        version=request.version,
        trigger=request.trigger,
        source=source,
        ms=round((time.monotonic() - since) * 1000, 3),
        reason=reason,
        candidates=candidates or [],
        hole=made.hole,
        pins=made.pins,
        encoded=made.encoded,
        reused=made.reused,
        queue_ms=made.timings.queue,
        encode_ms=made.timings.encode,
        denoise_ms=made.timings.denoise,
    )


class Journal:
    """By document."""

    def __init__(self) -> None:
        self._kept: dict[str, deque[Explanation]] = {}

    def note(self, key: str, explanation: Explanation) -> None:
        """Keep it; the oldest one goes."""
        self._kept.setdefault(key, deque(maxlen=KEPT)).append(explanation)

    def last(self, key: str) -> list[Explanation]:
        """The newest first."""
        return list(reversed(self._kept.get(key, ())))

    def forget(self, key: str) -> None:
        """The document was closed."""
        self._kept.pop(key, None)
