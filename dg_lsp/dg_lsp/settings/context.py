"""Section `context`: what the model gets to see beside the text around the cursor."""

from __future__ import annotations

from typing import Annotated

from dg_lsp.settings.option import Option, Section


class ContextSettings(Section, frozen=True):
    """What the model gets to see beside the text around the cursor."""

    guesses: Annotated[
        bool,
        Option(
            "Let it start from what followed the same words elsewhere in the open documents of the language and workspace folder."
        ),
    ] = True
