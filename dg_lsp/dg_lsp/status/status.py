"""Collects what `dg/status` says and tells the client about changes, as far as it asked to be told."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from dg_lsp.documents import uri as uris
from dg_lsp.status.progress import LoadingProgress
from dg_lsp.status.report import DocumentReport, Report, report

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

log = logging.getLogger(__name__)

METHOD = "dg/status"
_REASONS: Final = 200
"""So many different ones are counted."""


class StatusBoard:
    """The server's state for people."""

    def __init__(self, server: FrontServer) -> None:
        self.progress = LoadingProgress(server.protocol)
        self.notifies = False
        """The client opted in to `dg/status` notifications."""
        self._server = server
        self._reasons: dict[str, str] = {}
        self._last: Report | None = None
        self._told: set[str] = set()
        self.counts: dict[str, int] = {}
        """Answers without a suggestion, by reason."""

    def note(self, key: str, reason: str) -> None:
        """Why the last request of an open document came back empty; an empty reason clears it."""
        if reason and (reason in self.counts or len(self.counts) < _REASONS):
            self.counts[reason] = self.counts.get(reason, 0) + 1
        if self._server.documents.by_key(key) is not None:
            self._reasons[key] = reason

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._reasons.pop(uris.key(uri), None)

    def current(self, uri: str | None = None) -> dict[str, Any]:
        """The answer to `dg/status`."""
        return self._report(self._document(uri) if uri is not None else None).plain()

    def changed(self) -> None:
        """Something that the status shows may have changed."""
        facts = self._server.engine.facts
        self.progress.update(facts)
        if facts.state == "unavailable":
            self._tell(facts.reason, facts.reason)
        now = self._report(None)
        if self.notifies and now != self._last:
            self._last = now
            self._server.protocol.notify(METHOD, now.plain())

    def paused(self, minutes: float) -> None:
        """A pause began or ended; its own end is told when it comes."""
        self.changed()
        if minutes:
            asyncio.get_running_loop().call_later(60 * minutes + 0.1, self.changed)

    def lost(self, sentence: str) -> None:
        """An engine was lost."""
        self._tell("lost", sentence)

    def _report(self, document: DocumentReport | None) -> Report:
        server = self._server
        busy, paused = len(server.completions.pending) > 0, server.completions.eligibility.pause.reason
        return report(server.engine.facts, server.settings.current, busy=busy, paused=paused, document=document)

    def _document(self, uri: str) -> DocumentReport:
        server = self._server
        document = server.documents.get(uri)
        if document is None:
            return DocumentReport(uri, on=False, reason="The document is not open.")
        why_not = server.completions.why_not(document)
        facts = server.engine.facts
        loading = report(facts, server.settings.current, busy=False).message if facts.state == "loading" else ""
        reasons = (why_not, facts.reason, self._reasons.get(document.key), server.completions.why_by_hand(document), loading)
        return DocumentReport(uri, on=why_not is None, reason=next(filter(None, reasons), ""))

    def _tell(self, cause: str, sentence: str) -> None:
        """Log a sentence, and show it: in front of the user the first time that this is the cause, later where messages are collected."""
        log.warning("%s", sentence)
        text = f"dg-lsp: {sentence}"
        if cause in self._told:
            if cause == "lost":
                self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, text))
            return
        self._told.add(cause)
        self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
