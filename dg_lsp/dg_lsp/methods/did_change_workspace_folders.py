"""`workspace/didChangeWorkspaceFolders`: folders have settings and ignore files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from dg_lsp.documents import uri as uris

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS


def lenient(params: Any) -> Any:
    """Only folders that have a URI; a missing list is an empty one."""
    event = params.get("event") if isinstance(params, dict) else None
    event = event if isinstance(event, dict) else {}
    return {"event": {name: folders(event.get(name)) for name in ("added", "removed")}}


def folders(value: Any) -> list[dict[str, str]]:
    """The workspace folders in what a client sent."""
    found = [one.get("uri") for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [{"uri": uri, "name": ""} for uri in found if isinstance(uri, str) and uri]


def handle(server: FrontServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Take some in, let others go."""
    gone = {uris.key(folder.uri) for folder in params.event.removed}
    kept = [uri for uri in server.configuration.folders if uris.key(uri) not in gone]
    server.configuration.set_folders([*kept, *(folder.uri for folder in params.event.added)])
