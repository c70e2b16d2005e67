"""The editor's side of the settings: pushed, pulled as a whole and for each folder, told about when something is off."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types

from dg_lsp import logs
from dg_lsp.settings.read import SECTION, tree_of

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

log = logging.getLogger(__name__)


class Configuration:
    """Keeps the server's settings as the editor has them."""

    def __init__(self, server: FrontServer) -> None:
        self.folders: list[str] = []
        """The workspace's, as URIs."""
        self._server = server
        self._pulls = 0
        self._told: set[str] = set()
        self._logged = ""

    def set_folders(self, folders: Iterable[str]) -> None:
        """The workspace's folders; their settings are pulled."""
        self.folders = list(dict.fromkeys(folders))
        self._server.completions.eligibility.exclusions.set_workspaces(self.folders)
        self._server.completions.configured()
        self._pull(common=False)

    def changed(self, pushed: object) -> None:
        """Take what was pushed; what was not is pulled."""
        given = tree_of(pushed)
        empty = isinstance(pushed, dict) and SECTION in pushed and not given  # our section, emptied
        if given or empty:
            self._server.settings.set_configuration(pushed)
            self.apply()
        self._pull(common=not given and not empty)

    def pull(self) -> None:
        """Ask for everything."""
        self._pull(common=True)

    def apply(self) -> None:
        """Let what holds now take effect, and tell what was wrong with it."""
        server = self._server
        logs.apply(server.settings.current.log)
        self._tell()
        self._log()
        server.apply_settings()

    def _pull(self, *, common: bool) -> None:
        """Ask the client for its configuration, if it announced that it answers. Folders ask for themselves."""
        workspace = self._server.protocol.client_capabilities.workspace
        folders = list(self.folders)
        if not (workspace and workspace.configuration) or not (common or folders):
            if not folders:
                self._server.settings.set_folders({})
            return
        scopes = [None] * common + folders
        items = [types.ConfigurationItem(scope_uri=scope, section=SECTION) for scope in scopes]
        self._pulls += 1
        number = self._pulls
        future = self._server.protocol.send_request(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items))
        future.add_done_callback(lambda answered: self._pulled(number, scopes, answered))

    def _pulled(self, number: int, scopes: list[str | None], answered: Any) -> None:
        """An older pull that is answered late counts for nothing."""
        if number != self._pulls or answered.cancelled() or answered.exception() is not None:
            return
        result = answered.result()
        if not isinstance(result, list) or len(result) < len(scopes):
            return
        by_scope = dict(zip(scopes, result, strict=False))
        if None in by_scope:  # null: the section is not there (any more)
            self._server.settings.set_configuration(by_scope[None])
        self._server.settings.set_folders({scope: value for scope, value in by_scope.items() if scope is not None})
        self.apply()

    def _tell(self) -> None:
        """Each fault once, to the user and in the log."""
        faults = self._server.settings.faults
        fresh = [one for one in (*faults.values, *faults.names) if one not in self._told]
        self._told.update(fresh)
        for one in fresh:
            log.warning("%s", one)
        if fresh:
            self._server.window_show_message(types.ShowMessageParams(types.MessageType.Info, "dg-lsp: " + " ".join(fresh)))

    def _log(self) -> None:
        """What differs from the defaults, once: the report finds it there."""
        changed = json.dumps(differing(self._server.settings.current))
        if changed != self._logged:
            self._logged = changed
            log.info("settings: %s", changed)


def differing(settings: msgspec.Struct) -> dict[str, Any]:
    """The options that are not at their defaults, by section."""
    tree: dict[str, Any] = {}
    for section in msgspec.structs.fields(settings):
        held = getattr(settings, section.name)
        options = {
            one.encode_name: msgspec.to_builtins(getattr(held, one.name))
            for one in msgspec.structs.fields(held)
            if getattr(held, one.name) != getattr(type(held)(), one.name)
        }
        if options:
            tree[section.encode_name] = options
    return tree
