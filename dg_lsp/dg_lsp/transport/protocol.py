"""From messages to handlers and back: every request gets exactly one answer, and nothing that fails shows a traceback.

pygls keeps the registry of features, the converter and the typed calls to the client; its own dispatch, built-in handlers,
logging of bodies and error pop-ups are not used.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

from dg_lsp.transport import jsonrpc
from dg_lsp.transport.jsonrpc import Call, MessageId, Reply, RequestError
from dg_lsp.transport.reader import EndOfStream, Event
from dg_lsp.transport.running import RunningRequests, told
from dg_lsp.transport.writer import Writer

log = logging.getLogger(__name__)

DROPPABLE: Final = frozenset({"dg/status", "dg/draft", types.PROGRESS})
_PARAMS = 2  # place of the params type in lsprotocol's table of methods
_UNTYPED: Final = (None, None, None, None)
_BEFORE_INITIALIZE: Final = frozenset({types.INITIALIZE, types.EXIT})


class FrontProtocol(LanguageServerProtocol):
    """One client's connection. Lives on the loop's thread; `receive` is its only way in."""

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.out: Writer | None = None
        self.on_end: Callable[[], None] = lambda: None
        self.initialized = False
        """An `initialize` has been answered."""
        self.shut_down = False
        """A `shutdown` has been answered."""
        self.before_next: Callable[[], None] | None = None
        """What the next message has to wait for: done once, before it."""
        self.running = RunningRequests()

    def receive(self, event: Event) -> None:
        """Take what the reader delivered."""
        if (due := self.before_next) is not None:
            self.before_next = None
            try:
                due()
            except Exception as error:  # noqa: BLE001 - whatever the settings hold: the message that came is answered
                log.error("applying the first settings failed: %s", describe(error))  # noqa: TRY400 - no traceback
        if isinstance(event, EndOfStream):
            self.on_end()
        elif isinstance(event, RequestError):
            log.warning("%s", event.sentence)
            self._send({"id": None, "error": {"code": event.code, "message": event.sentence}})
        elif isinstance(event, Reply):
            self._settle(event)
        elif event.id is None:
            self._notified(event)
        else:
            self._requested(event, event.id)

    def cancel_all(self) -> None:
        """End every running request; each is answered -32800."""
        self.running.cancel_all()

    def get_message_type(self, method: str) -> Any:  # type: ignore[override]  # a cached method there
        """The type of a method's message; pygls' own keeps every protocol object alive in a cache."""
        return types.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> Any:  # type: ignore[override]
        """The type of a method's response."""
        return types.METHOD_TO_TYPES.get(method, (None, None))[1]

    # -- from the client

    def _notified(self, call: Call) -> None:
        if call.method == types.CANCEL_REQUEST:
            self._cancel(call.params)
            return
        if call.method not in self.fm.features:
            return
        if (self.shut_down or not self.initialized) and call.method != types.EXIT:
            return
        try:
            self.fm.features[call.method](self._params(call))
        except RequestError as error:
            log.warning("%s was ignored: %s", call.method, error.sentence)
            if (unreadable := getattr(self.fm.features[call.method], "unreadable", None)) is not None:
                unreadable(call.params)
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the session; its text may quote source
            log.error("%s failed: %s", call.method, describe(error))  # noqa: TRY400 - no traceback: see above

    def _requested(self, call: Call, message_id: MessageId) -> None:
        started = time.monotonic()
        try:
            self._admit(call, message_id)
            result = self._result(call)
        except RequestError as error:
            self._refuse(message_id, error)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(call.method, message_id, error)
        else:
            if isinstance(result, asyncio.Future):
                self._await(call.method, message_id, started, result)
            else:
                self._answer(message_id, result)
                told(call.method, started, "answered")

    def _result(self, call: Call) -> Any:
        handler = self.fm.features[call.method]
        try:
            params = self._params(call)
        except RequestError as error:
            malformed = getattr(handler, "malformed", None)
            if malformed is None:
                raise
            log.warning("%s", error.sentence)
            return malformed()
        return handler(params)

    def _admit(self, call: Call, message_id: MessageId) -> None:
        if self.shut_down:
            raise RequestError(jsonrpc.INVALID_REQUEST, "The server has been shut down.")
        if not self.initialized and call.method not in _BEFORE_INITIALIZE:
            raise RequestError(jsonrpc.NOT_INITIALIZED, "The server has not been initialized.")
        if message_id in self.running:
            raise RequestError(jsonrpc.INVALID_REQUEST, "This id belongs to a request that is still running.")
        if call.method not in self.fm.features:
            raise RequestError(jsonrpc.METHOD_NOT_FOUND, f"Unknown method {call.method[:80]}.")

    def _params(self, call: Call) -> Any:
        """The params in their lsprotocol type; those of methods of our own as they came."""
        kind: Any = types.METHOD_TO_TYPES.get(call.method, _UNTYPED)[_PARAMS]
        lenient = getattr(self.fm.features[call.method], "lenient", None)
        raw = call.params if lenient is None else lenient(call.params)
        if kind is None:
            return raw
        try:
            return self._converter.structure(raw, kind)
        except Exception:  # noqa: BLE001 - cattrs raises whatever a hook raises; its text may quote source
            raise RequestError(jsonrpc.INVALID_PARAMS, f"Malformed params of {call.method}.") from None

    def _await(self, method: str, message_id: MessageId, started: float, task: asyncio.Future[Any]) -> None:
        self.running.add(message_id, method, started, task)

        def done(finished: asyncio.Future[Any]) -> None:
            self.running.finish(message_id)
            if finished.cancelled():
                self._refuse(message_id, RequestError(jsonrpc.CANCELLED, "Cancelled."))
            elif (error := finished.exception()) is None:
                self._answer(message_id, finished.result())
            elif isinstance(error, RequestError):
                self._refuse(message_id, error)
            else:
                self._failed(method, message_id, error)

        task.add_done_callback(done)

    def _cancel(self, params: Any) -> None:
        message_id = params.get("id") if isinstance(params, dict) else None
        if isinstance(message_id, int | str):
            self.running.cancel(message_id)

    def _settle(self, reply: Reply) -> None:
        future: Future[Any] | None = self._request_futures.pop(reply.id, None) if reply.id is not None else None
        if future is None or future.done():
            return
        if reply.error is not None:
            future.set_exception(RequestError(jsonrpc.INTERNAL_ERROR, "The client answered with an error."))
        else:
            future.set_result(reply.result)

    # -- to the client

    def _answer(self, message_id: MessageId, result: Any) -> None:
        try:
            plain = self._converter.unstructure(result)
        except Exception as error:  # noqa: BLE001 - a result of ours that cannot be written is a fault of ours, and still one answer
            log.error("an answer could not be written: %s", describe(error))  # noqa: TRY400 - its text may quote source
            self._refuse(message_id, RequestError(jsonrpc.INTERNAL_ERROR, "The answer could not be written."))
            return
        self._send({"id": message_id, "result": plain})

    def _failed(self, method: str, message_id: MessageId, error: BaseException) -> None:
        """Something of ours went wrong: the answer is what the method's handler has for that, else an error."""
        log.error("%s failed: %s", method, describe(error))
        instead = getattr(self.fm.features.get(method), "failed", None)
        if instead is not None:
            self._answer(message_id, instead())
        else:
            self._refuse(message_id, RequestError(jsonrpc.INTERNAL_ERROR, f"{method} failed: {type(error).__name__}."))

    def _refuse(self, message_id: MessageId, error: RequestError) -> None:
        self._send({"id": message_id, "error": {"code": error.code, "message": error.sentence}})

    def _send_data(self, data: Any) -> None:
        """Where pygls' typed calls to the client end."""
        message = self._converter.unstructure(data)
        message.pop("jsonrpc", None)
        self._send(message, droppable=message.get("method") in DROPPABLE)

    def _send(self, message: dict[str, Any], *, droppable: bool = False) -> None:
        if self.out is not None:
            self.out.put(jsonrpc.write({"jsonrpc": "2.0", **message}), droppable=droppable)


def describe(error: BaseException) -> str:
    """An error for the log: its kind and where it was raised, never its text, which may quote a document."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
    return type(error).__name__ + where
