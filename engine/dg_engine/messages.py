"""Every message between a front and an engine: msgspec structs, msgpack, one tagged union. Imports no torch.

Unknown fields are ignored and fields that a peer left out take their defaults, so that neighbours of one protocol number may
add fields. Offsets and lengths count characters (Python string indices) unless a name says otherwise.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dg_engine.errors import FailureKind

PROTOCOL = 1
"""Number of this set of messages: fronts attach by it, not by package version."""

Trigger = Literal["automatic", "invoked"]
StopReason = Literal["stable", "cap", "deadline"]
EngineState = Literal["loading", "ready", "stopping"]
ByeReason = Literal["idle", "upgrade", "stop"]


class Message(msgspec.Struct, tag=True, frozen=True):
    """Base of all messages; the tag is the class name."""


class ClientInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Who connects."""

    name: str
    version: str = ""
    pid: int = 0


class Hello(Message, frozen=True, kw_only=True):
    """First message of a front."""

    protocol: int = PROTOCOL
    identity: str = ""
    client: ClientInfo
    token: str | None = None


class Welcome(Message, frozen=True, kw_only=True):
    """The engine's answer to Hello. While `state` is loading, model facts may still be empty; Status follows."""

    protocol: int = PROTOCOL
    identity: str = ""
    model: str = ""
    profile: str = ""
    device: str = ""
    dtype: str = ""
    backbone: str = ""
    languages: list[str] = []
    state: EngineState


class Neighbour(msgspec.Struct, frozen=True, array_like=True):
    """A part of another document, given as context."""

    path: str
    text: str


class Guess(msgspec.Struct, frozen=True, array_like=True):
    """A text that may stand in the hole, retrieved by what stands before it elsewhere.

    `match_length`: words before it that are the same as before the hole. It followed them `count` times `of` all that were looked at.
    `meets`: where it ended there, the text went on as it does behind the hole.
    """

    text: str
    match_length: int
    count: int = 1
    of: int = 1
    meets: bool = False


class FillJob(Message, frozen=True, kw_only=True):
    """Fill the hole between prefix and suffix. Text uses LF only.

    `prefix_start` is the offset of the prefix's first character in the document: it moves only by whole blocks, so that
    the encoder's window stays put while somebody types. `max_lines` 1 ends the hole with its line; `max_tokens` 0 leaves the
    hole's size to the profile; `deadline_ms` counts from when the engine received the job.
    """

    id: int
    document: str
    version: int = 0
    language: str = "python"
    path: str = ""
    prefix: str
    prefix_start: int = 0
    suffix: str
    neighbours: list[Neighbour] = []
    guesses: list[Guess] = []
    trigger: Trigger = "invoked"
    candidates: int = 1
    continuation: bool = False
    """Also start from the encoder's own continuation of the prefix, where the checkpoint's is worth it: better, and slower."""
    max_lines: int = 1
    max_tokens: int = 0
    deadline_ms: float | None = None
    seed: int = 0
    speculative: bool = False
    drafts: bool = False


class RewriteJob(Message, frozen=True, kw_only=True):
    """Rewrite `selection`, which stands between `before` and `after`."""

    id: int
    document: str
    language: str = "python"
    path: str = ""
    before: str
    selection: str
    after: str
    instruction: str | None = None
    diagnostics: list[str] = []
    strength: float = 0.5
    candidates: int = 1
    deadline_ms: float | None = None
    seed: int = 0
    drafts: bool = False


class Span(msgspec.Struct, frozen=True, array_like=True):
    """Confidence of one token: where it ends in the text, and the probability of its committed id at temperature 1."""

    end: int
    probability: float


class Draft(Message, frozen=True, kw_only=True):
    """What the hole holds after a pass; sent only when the job asked for drafts."""

    id: int
    candidate: int = 0
    text: str
    confidence: list[Span] = []
    pass_: int = msgspec.field(name="pass")
    cap: int


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One finished text for the hole."""

    text: str
    confidence: list[Span] = []
    passes: int
    stop: StopReason
    score: float | None = None
    """Probability that it is what the user would have written, where the checkpoint has a judge."""
    guess: int | None = None
    """Which of the job's guesses it began from."""
    continued: bool = False
    """It began from the encoder's own continuation."""


class Timings(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds a job spent waiting, encoding and denoising."""

    queue: float = 0.0
    encode: float = 0.0
    denoise: float = 0.0


class Completion(Message, frozen=True, kw_only=True):
    """The end of a job that went well, best candidate first.

    `encoded` and `reused` count tokens of the encoder, `hole` and `pins` positions of the canvas.
    """

    id: int
    candidates: list[Candidate]
    timings: Timings = Timings()
    encoded: int = 0
    reused: int = 0
    hole: int = 0
    pins: int = 0


class Cancel(Message, frozen=True, kw_only=True):
    """Stop a job: the engine computes at most the pass or chunk in flight and answers Cancelled."""

    id: int


class Cancelled(Message, frozen=True, kw_only=True):
    """The end of a job that was cancelled."""

    id: int


class Failed(Message, frozen=True, kw_only=True):
    """The end of a job that could not be done."""

    id: int
    kind: FailureKind
    sentence: str


class Outcome(Message, frozen=True, kw_only=True):
    """What became of a completion in the editor."""

    id: int
    shown: bool
    accepted_chars: int = 0


class Release(Message, frozen=True, kw_only=True):
    """The document was closed: its KV is freed."""

    document: str


class Status(Message, frozen=True, kw_only=True):
    """The engine's state. `progress` runs from 0 to 1 while loading; `memory` is resident bytes; `queue` counts waiting jobs."""

    state: EngineState
    progress: float | None = None
    message: str = ""
    memory: int = 0
    queue: int = 0


class Stats(Message, frozen=True, kw_only=True):
    """Ask for counters."""


class StatsReply(Message, frozen=True, kw_only=True):
    """Counters since the engine started, by name."""

    counters: dict[str, float]
    histograms: dict[str, list[float]] = {}


class Bye(Message, frozen=True, kw_only=True):
    """From an engine: it leaves. From a front: it asks the engine to leave (`upgrade`, `stop`)."""

    reason: ByeReason
    sentence: str = ""


AnyMessage = (
    Hello
    | Welcome
    | FillJob
    | RewriteJob
    | Draft
    | Completion
    | Cancel
    | Cancelled
    | Failed
    | Outcome
    | Release
    | Status
    | Stats
    | StatsReply
    | Bye
)
