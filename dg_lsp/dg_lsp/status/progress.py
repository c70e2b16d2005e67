"""Work-done progress while the model loads, for clients that announced it."""

from __future__ import annotations

import itertools
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

if TYPE_CHECKING:
    from dg_lsp.engine_client.client import EngineFacts


TITLE: Final = "Loading the completion model"
_tokens = itertools.count(1)


class LoadingProgress:
    """One progress a load: asked for, begun when the client agreed, reported, ended."""

    def __init__(self, protocol: LanguageServerProtocol) -> None:
        self._protocol = protocol
        self._token: str | None = None
        self._begun = False
        self.allowed = False
        """The client announced progress, and `initialized` has come."""

    def update(self, facts: EngineFacts) -> None:
        """Follow the engine's state."""
        if facts.state != "loading":
            self._end()
        elif self._token is None:
            self._ask(facts)
        elif self._begun:
            self._say({"kind": "report", **_details(facts)})

    def _ask(self, facts: EngineFacts) -> None:
        if not self.allowed:
            return
        token = self._token = f"dg-lsp/loading/{next(_tokens)}"
        params = types.WorkDoneProgressCreateParams(token)
        self._protocol.send_request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params).add_done_callback(
            lambda answered: self._agreed(token, answered, facts)
        )

    def _agreed(self, token: str, answered: Future[Any], facts: EngineFacts) -> None:
        if answered.cancelled() or answered.exception() is not None or self._token != token:
            return
        self._begun = True
        self._say({"kind": "begin", "title": TITLE, **_details(facts)})

    def _end(self) -> None:
        if self._begun:
            self._say({"kind": "end"})
        self._token, self._begun = None, False

    def _say(self, value: dict[str, Any]) -> None:
        self._protocol.notify(types.PROGRESS, types.ProgressParams(token=self._token or "", value=value))


def _details(facts: EngineFacts) -> dict[str, Any]:
    percentage = {} if facts.progress is None else {"percentage": round(100 * facts.progress)}
    return percentage | ({"message": facts.message} if facts.message else {})
