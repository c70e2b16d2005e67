"""Section `completion`: what is completed, when, and how much of it is shown."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from dg_lsp.settings.option import Option, Section

Trigger = Literal["automatic", "manual", "off"]
"""When something is completed: while typing, only when asked for by hand, never."""


class CompletionSettings(Section, frozen=True):
    """What is completed, when, and how much of it is shown."""

    enabled: Annotated[bool, Option("Whether anything is completed at all; `false` silences requests by hand too.")] = True
    trigger: Annotated[Literal["automatic", "manual"], Option("While typing as well, or only when asked for by hand.")] = (
        "automatic"
    )
    debounce_ms: Annotated[
        float,
        Meta(ge=0, le=10_000),
        Option("Wait so long, in milliseconds, before an automatic request is worked on; editors wait already."),
    ] = 0.0
    deadline_ms: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Option("Answer by then, in milliseconds, with what there is; no limit when it is not set."),
    ] = None
    max_lines: Annotated[int, Meta(ge=1, le=64), Option("Most lines that a suggestion may have.")] = 6
    single_line: Annotated[bool, Option("Never suggest more than the rest of a line.")] = False
    show_threshold: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Option(
            "Confidence, 0 to 1, below which a suggestion is not shown; not set: 0.1 while typing where the model has a judge, else 0."
        ),
    ] = None
    candidates: Annotated[int, Meta(ge=1, le=8), Option("How many suggestions are drafted when asked for by hand.")] = 3
    speculative: Annotated[bool, Option("Begin at the keystroke, before the editor asks; never on battery power.")] = True
    languages: Annotated[
        dict[str, bool | Trigger],
        Option(
            "By language id: `automatic` (or true), `manual`, `off` (or false); `*` is for all that are not named."
            " Prose and commit messages are `manual` from the start, and so are languages that the model does not know."
        ),
    ] = field(default_factory=dict)
    schemes: Annotated[
        dict[str, bool],
        Option("By URI scheme, whether its documents are completed; old versions of files, output and input boxes are not."),
    ] = field(default_factory=dict)
    fallback_completion: Annotated[
        bool,
        Option(
            "Offer the same answer as one entry of `textDocument/completion`, for editors that cannot show inline completions.",
            "machine",
        ),
    ] = False
