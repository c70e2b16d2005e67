"""Section `exclude`: whose text the model never sees."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from dg_lsp.settings.option import Option, Section

Glob = Annotated[str, Meta(min_length=1, max_length=1000)]


class ExcludeSettings(Section, frozen=True):
    """Whose text the model never sees."""

    globs: Annotated[
        Annotated[list[Glob], Meta(max_length=500)],
        Option(
            "Patterns as in `.gitignore`, from the workspace folder on: such files are neither completed nor read for context."
        ),
    ] = field(default_factory=list)
    gitignored: Annotated[
        Literal["context", "both"],
        Option("Files that git ignores: never read for `context`, or neither read nor completed (`both`)."),
    ] = "context"
    secrets: Annotated[
        bool, Option("Neither complete nor read files whose names say that they hold secrets, such as `.env` and `*.pem`.")
    ] = True
