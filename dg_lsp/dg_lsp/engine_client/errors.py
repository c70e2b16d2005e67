"""Why a job got no completion.

NoCompletionError
├── UnavailableError   no engine will answer: the sentence says what to do
├── LostError          the connection ended while the job ran; it may be tried again
└── JobFailedError     the engine refused or failed this job
"""

from __future__ import annotations


class NoCompletionError(Exception):
    """Base; `str()` is a sentence for a person."""


class UnavailableError(NoCompletionError):
    """There is no engine, or it cannot answer."""


class LostError(NoCompletionError):
    """The connection to the engine ended."""


class JobFailedError(NoCompletionError):
    """The engine could not do the job."""
