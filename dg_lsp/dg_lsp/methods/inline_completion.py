"""`textDocument/inlineCompletion`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.TEXT_DOCUMENT_INLINE_COMPLETION
OPTIONS = types.InlineCompletionOptions()
_TRIGGERS = frozenset(int(kind) for kind in types.InlineCompletionTriggerKind)
_AUTOMATIC = int(types.InlineCompletionTriggerKind.Automatic)

Items = list[types.InlineCompletionItem]


def lenient(params: Any) -> Any:
    """A missing context, a trigger kind of another numbering, and a range of two positions are read as what they mean."""
    if not isinstance(params, dict):
        return params
    context = params.get("context")
    context = context if isinstance(context, dict) else {}
    kind = context.get("triggerKind")
    mended: dict[str, Any] = {"triggerKind": kind if isinstance(kind, int) and kind in _TRIGGERS else _AUTOMATIC}
    if isinstance(info := context.get("selectedCompletionInfo"), dict):
        mended["selectedCompletionInfo"] = {**info, "range": _range(info.get("range"))}
    return {"textDocument": params.get("textDocument"), "position": params.get("position"), "context": mended}


def malformed() -> Items:
    """An error would pop up in front of whoever types."""
    return []


failed = malformed


def handle(server: FrontServer, params: types.InlineCompletionParams) -> Items | asyncio.Task[Items]:
    """The items, now or later."""
    return server.completions.ask(params)


def _range(value: Any) -> Any:
    if isinstance(value, list) and len(value) == len(("start", "end")):
        return {"start": value[0], "end": value[1]}
    return value
