"""`textDocument/didPartiallyAcceptCompletion`, as clients of Copilot's protocol send it: a part was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dg_engine.messages import Outcome
from dg_lsp.methods.did_show import job_of

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = "textDocument/didPartiallyAcceptCompletion"


def handle(server: FrontServer, params: Any) -> None:
    """Tell the engine; the length is in UTF-16 units, which is near enough for a counter."""
    job = job_of(params)
    length = params.get("acceptedLength") if isinstance(params, dict) else None
    if job is not None and isinstance(length, int):
        server.engine.tell(Outcome(id=job, shown=True, accepted_chars=length))
