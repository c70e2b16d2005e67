"""What a report of a fault should say about a server: versions, settings, engine; no source text."""

from __future__ import annotations

import json
import platform
import sys
from typing import TYPE_CHECKING

import dg_lsp
from dg_lsp.settings.configuration import differing

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer


def summary(server: FrontServer) -> str:
    """A few lines for people."""
    facts = server.engine.facts
    welcome = facts.welcome
    lines = [
        f"dg-lsp {dg_lsp.__version__}, Python {platform.python_version()}, {sys.platform} {platform.machine()}",
        f"engine: {facts.state}" + (f" ({facts.reason})" if facts.reason else ""),
        f"model: {welcome.profile} on {welcome.device}, {welcome.dtype}, {welcome.backbone}" if welcome else "model: none yet",
        f"position encoding: {server.documents.encoding}, open documents: {len(server.documents)}",
        f"settings: {json.dumps(differing(server.settings.current))}",
        f"answers without a suggestion, by reason: {json.dumps(server.status.counts)}",
    ]
    return "\n".join(lines)
