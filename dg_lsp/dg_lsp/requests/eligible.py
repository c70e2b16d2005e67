"""Whether a document, and a place in it, is completed at all; a reason for the status if not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dg_lsp.documents.store import Document
from dg_lsp.engine_client.client import ANY_LANGUAGE
from dg_lsp.exclude.secrets import SENTENCE, looks_secret
from dg_lsp.requests.asked import Asked
from dg_lsp.settings.model import CompletionSettings

SIZE_LIMIT: Final = 8 * 1024 * 1024
"""Characters of a document."""
LINE_LIMIT: Final = 200_000
INSIDE_WORD: Final = "The cursor is inside a word."


def why_not_document(document: Document, settings: CompletionSettings, languages: Sequence[str]) -> str | None:
    """Why nothing in this document is completed, or None."""
    if not settings.enabled:
        return "Completion is switched off (dgLsp.completion.enabled)."
    if looks_secret(document.uri):
        return SENTENCE
    if document.text.chars > SIZE_LIMIT or document.text.count > LINE_LIMIT:
        return f"The document is too large (limit: {SIZE_LIMIT >> 20} MB, {LINE_LIMIT} lines)."
    return why_not_language(document.language, languages)


def why_not_language(language: str, languages: Sequence[str]) -> str | None:
    """Why this language is not completed, or None."""
    if language in languages or ANY_LANGUAGE in languages:
        return None
    return f"The model does not know the language {language[:40] or 'of this document'}; it knows {', '.join(languages)}."


def why_not_place(asked: Asked, settings: CompletionSettings) -> str | None:
    """Why nothing is completed here, or None."""
    if asked.misplaced:
        return "A selection over several lines cannot be completed in place."
    if asked.trigger == "invoked":
        return None
    if settings.trigger == "manual":
        return "Completion comes only when asked for (dgLsp.completion.trigger)."
    if asked.after[:1].isalnum() or asked.after[:1] == "_":
        return INSIDE_WORD
    return None
