"""Where settings come from, lowest first: defaults, initializationOptions, the editor's configuration, environment, command line.

A folder's own answer lies over the editor's configuration for the documents in it, as far as its options are not the machine's.
"""

from __future__ import annotations

from typing import Any

from dg_lsp.documents import uri as uris
from dg_lsp.settings.model import Settings
from dg_lsp.settings.read import SECTION, Faults, Tree, given, merge, options_of, read, sections_by_name, tree_of


class SettingsLayers:
    """Keeps each layer as it came, so that one can be replaced; `current` is what holds where no folder says otherwise."""

    def __init__(self, command_line: Tree | None = None, environment: Tree | None = None) -> None:
        self._options: Tree = {}
        self._configuration: Tree = {}
        self._folders: dict[str, Tree] = {}
        self._above: Tree = merge(environment or {}, command_line or {})
        self._by_folder: dict[str, Settings] = {}
        self.current: Settings = Settings()
        self.faults = Faults()
        """What was wrong with all layers."""
        self._resolve()

    def set_options(self, options: object) -> None:
        """Take in `initializationOptions`."""
        self._options = tree_of(options)
        self._resolve()

    def set_configuration(self, value: object) -> None:
        """Take in the editor's configuration, pushed or pulled; it replaces what came before."""
        self._configuration = tree_of(value)
        self._resolve()

    def set_folders(self, answers: dict[str, object]) -> None:
        """Take in each folder's answer, by the folder's URI; they replace all that came before."""
        self._folders = {uris.key(folder).rstrip("/"): tree_of(value) for folder, value in answers.items()}
        self._resolve()

    def of(self, key: str) -> Settings:
        """What holds for a document (its key): its innermost folder's settings, else `current`."""
        inside = [folder for folder in self._by_folder if key.startswith(f"{folder}/")]
        return self._by_folder[max(inside, key=len)] if inside else self.current

    def all(self) -> list[Settings]:
        """`current` and every folder's."""
        return [self.current, *self._by_folder.values()]

    def switch(self, name: str) -> bool:
        """An opt-in of `initializationOptions` that is no setting, such as `status`."""
        value: Any = self._options.get(name)
        return value is True

    def _resolve(self) -> None:
        common = merge(self._options, self._configuration)
        self.current, self.faults = read(merge(common, self._above))
        mine, _ = read(common)
        self._by_folder = {}
        for folder, tree in self._folders.items():
            own, faults = read(merge(common, tree))
            self._add(faults)
            allowed = self._refuse(tree, mine, own)
            self._by_folder[folder], _ = read(merge(merge(common, allowed), self._above))

    def _refuse(self, tree: Tree, mine: Settings, own: Settings) -> dict[str, Any]:
        """A folder's tree without the machine's options; those that it would have changed are told."""
        allowed: dict[str, Any] = {}
        for section, kind in sections_by_name().items():
            values = given(tree, section)
            if not isinstance(values, dict):
                continue
            allowed[section] = dict(values)
            for key, (name, _, option) in options_of(kind).items():
                if option.scope != "machine" or allowed[section].pop(key, None) is None:
                    continue
                if getattr(getattr(own, section), name) != getattr(getattr(mine, section), name):
                    sentence = f"{SECTION}.{section}.{key} holds for the whole machine; a folder's value for it is passed over."
                    self._add(Faults(values=[sentence]))
        return allowed

    def _add(self, faults: Faults) -> None:
        for known, more in ((self.faults.values, faults.values), (self.faults.names, faults.names)):
            known.extend(one for one in more if one not in known)
