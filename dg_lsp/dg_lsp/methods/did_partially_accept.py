"""`textDocument/didPartiallyAcceptCompletion`, as clients of Copilot's protocol send it: a part was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dg_lsp.methods.did_show import job_of
from dg_lsp.requests.outcome import outcome

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = "textDocument/didPartiallyAcceptCompletion"


def handle(server: FrontServer, params: Any) -> None:
    """Tell the engine; the length is in UTF-16 units, which is near enough for a counter."""
    length = params.get("acceptedLength") if isinstance(params, dict) else None
    if (told := outcome(job_of(params), length)) is not None:
        server.engine.tell(told)
