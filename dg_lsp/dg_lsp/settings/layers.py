"""Where settings come from, lowest first: defaults, initializationOptions, the editor's configuration, the command line."""

from __future__ import annotations

from typing import Any

from dg_lsp.settings.model import Settings
from dg_lsp.settings.read import Faults, Tree, merge, read, tree_of


class SettingsLayers:
    """Keeps each layer as it came, so that one can be replaced; `current` is what holds now."""

    def __init__(self, command_line: Tree | None = None) -> None:
        self._options: Tree = {}
        self._configuration: Tree = {}
        self._command_line: Tree = command_line or {}
        self.current: Settings = Settings()
        self.faults = Faults()
        """What was wrong with it."""
        self._resolve()

    def set_options(self, options: object) -> None:
        """Take in `initializationOptions`."""
        self._options = tree_of(options)
        self._resolve()

    def set_configuration(self, value: object) -> None:
        """Take in the editor's configuration, pushed or pulled; it replaces what came before."""
        self._configuration = tree_of(value)
        self._resolve()

    def switch(self, name: str) -> bool:
        """An opt-in of `initializationOptions` that is no setting, such as `status`."""
        value: Any = self._options.get(name)
        return value is True

    def _resolve(self) -> None:
        tree = merge(merge(self._options, self._configuration), self._command_line)
        self.current, self.faults = read(tree)
