"""From a snapshot to a job for the engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dg_engine.messages import FillJob, Guess
from dg_lsp.context.window import PrefixWindow, suffix
from dg_lsp.documents.uri import path_of
from dg_lsp.requests.asked import Asked
from dg_lsp.settings.model import CompletionSettings

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BLOCK_OPENERS: Final = {"python": ":"}
_PATH_PARTS: Final = 3


def build(
    asked: Asked,
    window: PrefixWindow,
    settings: CompletionSettings,
    *,
    seed: int = 0,
    drafts: bool = False,
    guesses: Sequence[Guess] = (),
) -> FillJob:
    """The job of a request; its id is given when it is sent."""
    place = asked.selected.start if asked.selected else asked.cursor
    start, prefix = window.cut(asked.text, place)
    return FillJob(
        id=0,
        document=asked.key,
        version=asked.version,
        language=_encodable(asked.language),
        path=short_path(asked.uri),
        prefix=_encodable(prefix + (asked.selected.text if asked.selected else "")),
        prefix_start=start,
        suffix=_encodable(suffix(asked.text, asked.cursor)),
        guesses=[one for one in guesses if not _LONE_SURROGATE.search(one.text)],
        trigger=asked.trigger,
        candidates=settings.candidates if asked.trigger == "invoked" else 1,
        continuation=asked.trigger == "invoked",
        max_lines=lines_wanted(asked, settings),
        deadline_ms=settings.deadline_ms,
        seed=seed,
        drafts=drafts,
    )


def lines_wanted(asked: Asked, settings: CompletionSettings) -> int:
    """Several when asked for by hand, on an empty line, and behind a line that opens a block; else the rest of one line."""
    if settings.single_line:
        return 1
    if asked.trigger == "invoked" or not (asked.before + asked.after).strip():
        return settings.max_lines
    opener = _BLOCK_OPENERS.get(asked.language, "{")
    return settings.max_lines if asked.before.rstrip().endswith(opener) and not asked.after.strip() else 1


def short_path(uri: str) -> str:
    """The last parts of the URI's path: enough to tell what a file is, without where it lies on this machine."""
    parts = [part for part in path_of(uri).split("/") if part]
    return _encodable("/".join(parts[-_PATH_PARTS:]))


def _encodable(text: str) -> str:
    """`text` with each lone surrogate, which no encoding takes, as one replacement character."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
