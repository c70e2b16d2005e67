"""The whole tree of settings, one section a module, as the program reads them."""

from __future__ import annotations

from dg_lsp.settings.completion import CompletionSettings
from dg_lsp.settings.context import ContextSettings
from dg_lsp.settings.engine import EngineSettings
from dg_lsp.settings.exclude import ExcludeSettings
from dg_lsp.settings.log import LogSettings
from dg_lsp.settings.option import Section

__all__ = ["CompletionSettings", "ContextSettings", "EngineSettings", "ExcludeSettings", "LogSettings", "Settings"]


class Settings(Section, frozen=True):
    """Section `dgLsp` in an editor's configuration."""

    engine: EngineSettings = EngineSettings()
    completion: CompletionSettings = CompletionSettings()
    context: ContextSettings = ContextSettings()
    exclude: ExcludeSettings = ExcludeSettings()
    log: LogSettings = LogSettings()
