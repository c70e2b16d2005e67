"""Our server's protocol object and pygls' own, as the reader would feed them; what they answer goes nowhere."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from typing import Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from dg_bench.documents.typing_bursts import Key
from dg_lsp.server import create_server
from dg_lsp.transport.jsonrpc import Call

URI: Final = "file:///w/long.py"
Json = Any


class Server(ABC):
    """A server with one document; what is timed is in milliseconds."""

    def __init__(self) -> None:
        self._ids = 0
        self._version = 1

    def open(self, text: str) -> None:
        """Open the document, of a language that no engine is started for."""
        self._feed("textDocument/didOpen", {"textDocument": _item(text, "plaintext")})

    def change(self, key: Key) -> float:
        """One insertion, as `textDocument/didChange`."""
        self._version += 1
        return self._feed("textDocument/didChange", _change(key, self._version))

    def look_up(self, key: Key) -> float:
        """One request for which a position must be found and nothing else is done."""
        self._ids += 1
        return self._feed("textDocument/inlineCompletion", _asked(key), self._ids)

    @property
    @abstractmethod
    def text(self) -> str:
        """The document as it is now."""

    @abstractmethod
    def _feed(self, method: str, params: Json, message_id: int | None = None) -> float:
        """Hand a message over as the reader would."""


class _Nowhere:
    """Takes the writer's place."""

    def put(self, body: bytes, *, droppable: bool = False) -> None:
        """Forget it."""

    def write(self, data: bytes) -> None:
        """Forget it."""


class OurServer(Server):
    """Ours. A cursor inside a word, on Automatic, is answered at once with nothing: what is left is finding it."""

    def __init__(self) -> None:
        super().__init__()
        self._server = create_server()
        self._server.protocol.out = _Nowhere()  # type: ignore[assignment]
        self._feed("initialize", {"processId": None, "capabilities": {}}, 0)
        logging.getLogger("dg_lsp").setLevel(logging.CRITICAL)

    @property
    def text(self) -> str:
        """See Server."""
        document = self._server.documents.get(URI)
        return "" if document is None else str(document.text)

    def _feed(self, method: str, params: Json, message_id: int | None = None) -> float:
        started = time.perf_counter()
        self._server.protocol.receive(Call(method, params, message_id))
        return (time.perf_counter() - started) * 1000


class PyglsServer(Server):
    """A bare one, with a handler that finds the position."""

    def __init__(self) -> None:
        super().__init__()
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
        self._server = LanguageServer("bare", "1")
        self._server.protocol.set_writer(_Nowhere())  # type: ignore[arg-type]

        @self._server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
        def ask(params: types.InlineCompletionParams) -> list[types.InlineCompletionItem]:
            document = self._server.workspace.get_text_document(params.text_document.uri)
            document.offset_at_position(params.position)
            return []

        self._feed("initialize", {"processId": None, "capabilities": {}, "rootUri": None}, 0)

    @property
    def text(self) -> str:
        """See Server."""
        return str(self._server.workspace.get_text_document(URI).source)

    def _feed(self, method: str, params: Json, message_id: int | None = None) -> float:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if message_id is None else {"id": message_id})
        protocol = self._server.protocol
        started = time.perf_counter()
        protocol.handle_message(protocol.structure_message(message))
        return (time.perf_counter() - started) * 1000


def _item(text: str, language: str) -> Json:
    return {"uri": URI, "languageId": language, "version": 1, "text": text}


def _change(key: Key, version: int) -> Json:
    at = {"line": key.line, "character": key.character}
    return {
        "textDocument": {"uri": URI, "version": version},
        "contentChanges": [{"range": {"start": at, "end": at}, "text": key.text}],
    }


def _asked(key: Key) -> Json:
    at = {"line": key.line, "character": key.character}
    return {"textDocument": {"uri": URI}, "position": at, "context": {"triggerKind": 2}}
