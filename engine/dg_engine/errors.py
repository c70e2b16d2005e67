"""What can go wrong in the engine, each with one sentence for the person who has to mend it.

EngineError
├── ModelError        a model folder that cannot be loaded: names the file and what to do
│   └── TooLittleMemoryError   the model is sound and does not fit now
├── JobError          a job that ends without a completion: `kind` travels in the Failed message
└── ProtocolError     a peer that does not speak our wire format
"""

from __future__ import annotations

from typing import Literal

FailureKind = Literal["too_long", "out_of_memory", "not_finite", "unsupported", "unavailable"]


class EngineError(Exception):
    """Base of every error that the engine raises on purpose; `str()` is a sentence for a person."""


class ModelError(EngineError):
    """The model folder is missing, incomplete, of another architecture, or does not fit into memory."""


class TooLittleMemoryError(ModelError):
    """The model would fit if somebody gave memory back."""


class JobError(EngineError):
    """A job ended without a completion."""

    def __init__(self, kind: FailureKind, sentence: str) -> None:
        super().__init__(sentence)
        self.kind: FailureKind = kind


class ProtocolError(EngineError):
    """Bytes that are no frame of ours, a frame over the cap, or a message out of turn."""
