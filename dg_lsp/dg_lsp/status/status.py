"""Collects what `dg/status` says and tells the client about changes, as far as it asked to be told."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dg_lsp.documents import uri as uris
from dg_lsp.status.progress import LoadingProgress
from dg_lsp.status.report import DocumentReport, Report, report

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

log = logging.getLogger(__name__)

METHOD = "dg/status"


class StatusBoard:
    """The server's state for people."""

    def __init__(self, server: FrontServer) -> None:
        self.progress = LoadingProgress(server.protocol)
        self.notifies = False
        """The client opted in to `dg/status` notifications."""
        self._server = server
        self._reasons: dict[str, str] = {}
        self._last: Report | None = None
        self._told = False

    def note(self, key: str, reason: str) -> None:
        """Why the last request of an open document came back empty; an empty reason clears it."""
        if self._server.documents.get(key) is not None:
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
            self._tell_once(facts.reason)
        now = self._report(None)
        if self.notifies and now != self._last:
            self._last = now
            self._server.protocol.notify(METHOD, now.plain())

    def _report(self, document: DocumentReport | None) -> Report:
        server = self._server
        busy = len(server.completions.pending) > 0
        return report(server.engine.facts, server.settings.current, busy=busy, document=document)

    def _document(self, uri: str) -> DocumentReport:
        document = self._server.documents.get(uri)
        if document is None:
            return DocumentReport(uri, on=False, reason="The document is not open.")
        why_not = self._server.completions.why_not(document)
        return DocumentReport(uri, on=why_not is None, reason=why_not or self._reasons.get(document.key, ""))

    def _tell_once(self, reason: str) -> None:
        if self._told:
            return
        self._told = True
        self.tell(reason)

    def tell(self, sentence: str) -> None:
        """Show the user a sentence, and log it."""
        log.warning("%s", sentence)
        self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"dg-lsp: {sentence}"))
