"""The settings that the front understands, as the program reads them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Section(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of the sections; names are camelCase on the wire."""


class EngineSettings(Section, frozen=True):
    """Which engine answers: the one at `socket`; else the one that all windows share, or (mode `embedded`) one of our own."""

    mode: Literal["shared", "embedded"] = "shared"
    transport: Literal["auto", "socket", "port"] = "auto"
    token_file: str | None = None
    model: str | None = None
    socket: str | None = None
    backbone: Literal["auto", "own", "reference"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    threads: Positive | None = None
    memory_limit_gb: Annotated[float, msgspec.Meta(gt=0)] | None = None
    idle_minutes: Annotated[float, msgspec.Meta(ge=0)] = 30.0


class CompletionSettings(Section, frozen=True):
    """What is completed, when, and how much of it is shown."""

    enabled: bool = True
    trigger: Literal["automatic", "manual"] = "automatic"
    max_lines: Annotated[int, msgspec.Meta(ge=1, le=64)] = 6
    deadline_ms: Annotated[float, msgspec.Meta(gt=0)] | None = None
    show_threshold: Share = 0.0
    candidates: Annotated[int, msgspec.Meta(ge=1, le=8)] = 3
    speculative: bool = True


class LogSettings(Section, frozen=True):
    """How loud the log is, how it looks, and whether it may hold what documents hold."""

    level: Literal["error", "warning", "info", "debug"] = "warning"
    format: Literal["text", "json"] = "text"
    source_text: bool = False


class Settings(Section, frozen=True):
    """The whole tree, section `dgLsp` in an editor's configuration."""

    engine: EngineSettings = EngineSettings()
    completion: CompletionSettings = CompletionSettings()
    log: LogSettings = LogSettings()
