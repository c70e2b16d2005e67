"""Why a job got no completion.

    NoCompletion
    ├── Unavailable   no engine will answer: the sentence says what to do
    ├── Lost          the connection ended while the job ran; it may be tried again
    └── JobFailed     the engine refused or failed this job
"""

from __future__ import annotations


class NoCompletion(Exception):
    """Base; `str()` is a sentence for a person."""


class Unavailable(NoCompletion):
    """There is no engine, or it cannot answer."""


class Lost(NoCompletion):
    """The connection to the engine ended."""


class JobFailed(NoCompletion):
    """The engine could not do the job."""
