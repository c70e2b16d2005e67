"""`textDocument/didShowCompletion`, as clients of Copilot's protocol send it: a suggestion was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dg_engine.messages import Outcome

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = "textDocument/didShowCompletion"


def handle(server: FrontServer, params: Any) -> None:
    """Tell the engine."""
    if (job := job_of(params)) is not None:
        server.engine.tell(Outcome(id=job, shown=True))


def job_of(params: Any) -> int | None:
    """The job behind the item that the params carry, or None."""
    item = params.get("item") if isinstance(params, dict) else None
    command = item.get("command") if isinstance(item, dict) else None
    arguments = command.get("arguments") if isinstance(command, dict) else None
    first = arguments[0] if isinstance(arguments, list) and arguments else None
    job = first.get("id") if isinstance(first, dict) else None
    return job if isinstance(job, int) else None
