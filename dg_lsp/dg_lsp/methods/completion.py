"""`textDocument/completion`: the inline answer as one entry of a menu, for editors that cannot show it inline.

Off unless `completion.fallbackCompletion` says so: an editor that knows inline completions would show the same text twice.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text
from dg_lsp.methods import inline_completion

if TYPE_CHECKING:
    from dg_lsp.documents.store import DocumentStore
    from dg_lsp.server import FrontServer

METHOD = types.TEXT_DOCUMENT_COMPLETION
TRIGGERS: Final = (".", "(", "[", "{", "=", ",", ":")
OPTIONS = types.CompletionOptions(trigger_characters=list(TRIGGERS))

LAST: Final = "\U0010ffff"
"""Sorts behind whatever other servers offer."""
_REGISTRATION: Final = "dg-lsp/completion"
_WORD: Final = re.compile(r"\w*\Z")

Answer = types.CompletionList


def lenient(params: Any) -> Any:
    """Only what we read."""
    if not isinstance(params, dict):
        return params
    return {"textDocument": params.get("textDocument"), "position": params.get("position")}


def malformed() -> Answer:
    """An error would pop up in front of whoever types."""
    return Answer(is_incomplete=True, items=[])


failed = malformed


def handle(server: FrontServer, params: types.CompletionParams) -> Answer | asyncio.Task[Answer]:
    """The entry, now or later; asked for as an editor asks by itself, since menus do not tell the two apart."""
    if not server.settings.current.completion.fallback_completion:
        return malformed()
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
    asked = types.InlineCompletionParams(context=context, text_document=params.text_document, position=params.position)
    found = server.completions.ask(asked)
    if isinstance(found, asyncio.Task):
        return asyncio.create_task(_later(server, params.text_document.uri, found))
    return _menu(server.documents, params.text_document.uri, found)


async def _later(server: FrontServer, uri: str, task: asyncio.Task[inline_completion.Items]) -> Answer:
    return _menu(server.documents, uri, await task)


def _menu(store: DocumentStore, uri: str, items: inline_completion.Items) -> Answer:
    document = store.get(uri)
    if document is None or not items or items[0].range is None:
        return malformed()
    return Answer(is_incomplete=True, items=[_entry(store, document.text, items[0], items[0].range.end)])


def _entry(store: DocumentStore, text: Text, item: types.InlineCompletionItem, cursor: types.Position) -> types.CompletionItem:
    """Clients compare what stands in the range with `filterText`, so the entry begins with the word before the cursor."""
    place = store.place(text, cursor)
    match = _WORD.search(text.line(place.line)[: place.col])
    word = match.group() if match else ""
    start = store.position(text, Place(place.line, place.col - len(word)))
    whole = word + str(item.insert_text)
    first, *more = whole.strip().split("\n")
    return types.CompletionItem(
        label=first + (" …" if more else ""),
        kind=types.CompletionItemKind.Text,
        detail="dg-lsp",
        documentation=whole if more else None,
        preselect=False,
        sort_text=LAST,
        filter_text=whole.split("\n", 1)[0],
        insert_text_format=types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(types.Range(start, cursor), whole),
        command=item.command,
    )


class FallbackRegistration:
    """Offers the method while the setting is on: in `initialize`, or later to clients that take registrations."""

    def __init__(self, server: FrontServer) -> None:
        self.offered = False
        self._server = server

    def update(self, *, on: bool) -> None:
        """Follow the setting."""
        if on == self.offered or not self._dynamic():
            return
        self.offered = on
        if on:
            one = types.Registration(_REGISTRATION, METHOD, {"documentSelector": None, "triggerCharacters": list(TRIGGERS)})
            self._server.protocol.send_request(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([one]))
        else:
            gone = types.Unregistration(_REGISTRATION, METHOD)
            self._server.protocol.send_request(types.CLIENT_UNREGISTER_CAPABILITY, types.UnregistrationParams([gone]))

    def _dynamic(self) -> bool:
        document = self._server.protocol.client_capabilities.text_document
        return bool(document and document.completion and document.completion.dynamic_registration)
