"""Whether a document, and a place in it, is completed at all; a reason for the status if not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dg_lsp.documents import uri as uris
from dg_lsp.documents.store import Document
from dg_lsp.engine_client.client import ANY_LANGUAGE
from dg_lsp.exclude import generated
from dg_lsp.exclude.judge import Exclusions
from dg_lsp.requests.asked import Asked
from dg_lsp.requests.pause import Pause
from dg_lsp.requests.scope import is_on_purpose, scheme_is_on, trigger_for
from dg_lsp.settings.layers import SettingsLayers
from dg_lsp.settings.model import CompletionSettings

SIZE_LIMIT: Final = 8 * 1024 * 1024
"""Characters of a document."""
LINE_LIMIT: Final = 200_000
LONGEST_LINE: Final = 5000
"""Characters on either side of the cursor: VS Code shows nothing on longer lines."""
INSIDE_WORD: Final = "The cursor is inside a word."


class Eligibility:
    """Looks at settings, names, rules and sizes; never at what a text says."""

    def __init__(self, settings: SettingsLayers) -> None:
        self.exclusions = Exclusions()
        self.pause = Pause()
        self._settings = settings

    def why_not_document(self, document: Document) -> str | None:
        """Why nothing in this document is completed, not even when asked for by hand; or None."""
        settings = self._settings.of(document.key)
        return (
            self._switched_off(document, settings.completion)
            or self.exclusions.judge(document.uri, settings.exclude).completing
            or _unfit(document)
            or None
        )

    def _switched_off(self, document: Document, settings: CompletionSettings) -> str | None:
        if not settings.enabled:
            return "Completion is switched off (dgLsp.completion.enabled)."
        if (paused := self.pause.reason) is not None:
            return paused
        if not scheme_is_on(document.uri, settings):
            return f"Documents of `{uris.scheme_of(document.uri)}:` are not completed (dgLsp.completion.schemes)."
        if trigger_for(document.language, settings) == "off":
            return f"{_named(document.language)} is switched off (dgLsp.completion.languages)."
        return None

    def why_not_automatic(self, key: str, language: str, languages: Sequence[str]) -> str | None:
        """Why a document is completed only when asked for by hand, or None. `languages` are those that the model knows."""
        settings = self._settings.of(key).completion
        if settings.trigger == "manual":
            return "Completion comes only when asked for (dgLsp.completion.trigger)."
        if trigger_for(language, settings) == "manual":
            return f"{_named(language)} is completed only when asked for (dgLsp.completion.languages)."
        if language in languages or ANY_LANGUAGE in languages or is_on_purpose(language, settings):
            return None
        known = ", ".join(languages)
        return f"The model does not know the language {language[:40] or 'of this document'}; it knows {known}. Ask by hand to try it."

    def why_not_place(self, asked: Asked, languages: Sequence[str]) -> str | None:
        """Why nothing is completed here, or None."""
        if asked.misplaced:
            return "A selection over several lines cannot be completed in place."
        if max(len(asked.before), len(asked.after)) > LONGEST_LINE:
            return f"The line is too long (limit: {LONGEST_LINE} characters on either side)."
        if asked.trigger == "invoked":
            return None
        if reason := self.why_not_automatic(asked.key, asked.language, languages):
            return reason
        return INSIDE_WORD if asked.after[:1].isalnum() or asked.after[:1] == "_" else None

    def may_be_read(self, document: Document) -> bool:
        """Whether the document may serve as context, or give guesses: neither excluded, nor generated, nor of a scheme that is off."""
        settings = self._settings.of(document.key)
        return (
            settings.context.guesses
            and scheme_is_on(document.uri, settings.completion)
            and not self.exclusions.judge(document.uri, settings.exclude).reading
            and _unfit(document) is None
        )

    def completion(self, key: str) -> CompletionSettings:
        """What holds for a document."""
        return self._settings.of(key).completion


def _unfit(document: Document) -> str | None:
    text = document.text
    if text.chars > SIZE_LIMIT or text.count > LINE_LIMIT:
        return f"The document is too large (limit: {SIZE_LIMIT >> 20} MB, {LINE_LIMIT} lines)."
    return generated.SENTENCE if generated.looks_generated(uris.path_of(document.uri), text) else None


def _named(language: str) -> str:
    return f"The language {language[:40]}" if language else "A document without a language"
