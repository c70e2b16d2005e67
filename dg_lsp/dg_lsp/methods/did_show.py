"""`textDocument/didShowCompletion`, as clients of Copilot's protocol send it: a suggestion was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dg_lsp.requests.outcome import outcome

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = "textDocument/didShowCompletion"


def handle(server: FrontServer, params: Any) -> None:
    """Tell the engine."""
    if (told := outcome(job_of(params))) is not None:
        server.engine.tell(told)


def job_of(params: Any) -> Any:
    """What stands for the job in the item that the params carry; None when nothing does."""
    item = params.get("item") if isinstance(params, dict) else None
    command = item.get("command") if isinstance(item, dict) else None
    arguments = command.get("arguments") if isinstance(command, dict) else None
    first = arguments[0] if isinstance(arguments, list) and arguments else None
    return first.get("id") if isinstance(first, dict) else None
