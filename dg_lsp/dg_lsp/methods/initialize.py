"""`initialize`: what the client can do, what we can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from dg_lsp import logs
from dg_lsp.documents import encoding
from dg_lsp.methods import completion
from dg_lsp.methods.did_change_workspace_folders import folders
from dg_lsp.transport.jsonrpc import INVALID_REQUEST, RequestError

if TYPE_CHECKING:
    from dg_lsp.server import FrontServer

METHOD = types.INITIALIZE
_READ = {
    "general": ("positionEncodings",),
    "window": ("workDoneProgress",),
    "workspace": ("configuration",),
    "textDocument": ("completion",),
}


def lenient(params: Any) -> Any:
    """Only what we read: nothing else that a client announces, in whatever shape, can keep us from starting."""
    params = params if isinstance(params, dict) else {}
    announced = params.get("capabilities")
    announced = announced if isinstance(announced, dict) else {}
    capabilities = {
        section: {name: value for name in names if (value := (announced.get(section) or {}).get(name)) is not None}
        for section, names in _READ.items()
        if isinstance(announced.get(section) or {}, dict)
    }
    offered = capabilities.get("general", {}).get("positionEncodings")
    if offered is not None:
        known = [one for one in offered if isinstance(one, str)] if isinstance(offered, list) else []
        capabilities["general"] = {"positionEncodings": known}
    menus = capabilities.get("textDocument", {}).pop("completion", None)
    if isinstance(menus, dict) and menus.get("dynamicRegistration") is True:
        capabilities["textDocument"] = {"completion": {"dynamicRegistration": True}}
    process = params.get("processId")
    root = params.get("rootUri")
    return {
        "processId": process if isinstance(process, int) else None,
        "rootUri": None,
        "capabilities": capabilities,
        "initializationOptions": params.get("initializationOptions"),
        "workspaceFolders": folders(params.get("workspaceFolders")) or folders([{"uri": root}]),
    }


def handle(server: FrontServer, params: types.InitializeParams) -> types.InitializeResult:
    """Negotiate."""
    protocol = server.protocol
    if protocol.initialized:
        raise RequestError(INVALID_REQUEST, "The server has been initialized already.")
    protocol.initialized = True
    protocol.client_capabilities = params.capabilities
    general = params.capabilities.general
    server.documents.encoding = encoding.choose(general.position_encodings if general else None)
    server.settings.set_options(params.initialization_options)
    server.configuration.folders = [folder.uri for folder in params.workspace_folders or []]
    logs.apply(server.settings.current.log)
    server.fallback.offered = server.settings.current.completion.fallback_completion
    protocol.before_next = server.configuration.apply
    server.watch_editor(params.process_id)
    return types.InitializeResult(capabilities=_capabilities(server), server_info=protocol.server_info)


def _capabilities(server: FrontServer) -> types.ServerCapabilities:
    registry = server.protocol.fm
    builder: Any = ServerCapabilitiesBuilder(
        server.protocol.client_capabilities,
        set(registry.features) - (set() if server.fallback.offered else {completion.METHOD}),
        registry.feature_options,
        list(registry.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        server.documents.encoding,
    )
    capabilities: types.ServerCapabilities = builder.build()
    return capabilities
