"""The answer to `dg/status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from dg_lsp.settings.model import Settings

if TYPE_CHECKING:
    from dg_lsp.engine_client.client import EngineFacts


class EngineReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engine's part."""

    state: str
    model: str | None = None
    device: str | None = None
    progress: float | None = None


class DocumentReport(msgspec.Struct, frozen=True):
    """Whether a document is completed; `reason` says why not, or why the last request came back empty."""

    uri: str
    on: bool
    reason: str


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """`kind` is Normal, Inactive (switched off) or Error (no engine); `busy`: the model loads, or a request is worked on."""

    kind: str
    busy: bool
    message: str
    engine: EngineReport
    command: str | None = None
    document: DocumentReport | None = None

    def plain(self) -> dict[str, Any]:
        """As it goes over the wire; `kind`, `busy`, `message` and `engine` are always there."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


PAUSE: Final = "dg.server.pause"
RESTART: Final = "dg.server.restartEngine"


def report(
    facts: EngineFacts, settings: Settings, *, busy: bool, paused: str | None = None, document: DocumentReport | None = None
) -> Report:
    """What is to be said now."""
    kind, message = _headline(facts, settings, paused)
    welcome = facts.welcome
    engine = EngineReport(
        state=facts.state,
        model=(welcome.model or None) if welcome else None,
        device=(welcome.device or None) if welcome else None,
        progress=facts.progress,
    )
    command = RESTART if facts.state == "unavailable" else PAUSE if paused else None
    return Report(
        kind=kind, busy=busy or facts.state == "loading", message=message, engine=engine, command=command, document=document
    )


def _headline(facts: EngineFacts, settings: Settings, paused: str | None) -> tuple[str, str]:
    if not settings.completion.enabled:
        return "Inactive", "Completion is switched off."
    if paused:
        return "Inactive", paused
    match facts.state:
        case "unavailable":
            return "Error", facts.reason
        case "loading":
            share = "" if facts.progress is None else f" ({facts.progress:.0%})"
            return "Normal", f"The model is loading{share}."
        case "ready":
            return "Normal", "Ready."
        case _:
            return "Normal", "The model is loaded when a document needs it."
