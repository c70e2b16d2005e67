"""The server: one object a client, made by `create_server`, so that two can live in one process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pygls.lsp.server import LanguageServer

import dg_lsp
from dg_lsp.documents.store import DocumentStore
from dg_lsp.lifecycle.editor import EditorWatch
from dg_lsp.methods.completion import FallbackRegistration
from dg_lsp.methods.register import register_all
from dg_lsp.settings.configuration import Configuration
from dg_lsp.settings.layers import SettingsLayers
from dg_lsp.settings.read import Tree
from dg_lsp.status.status import StatusBoard
from dg_lsp.transport.protocol import FrontProtocol
from dg_lsp.transport.reader import Event, Reader
from dg_lsp.transport.writer import Writer

if TYPE_CHECKING:  # these come in with the first message after `initialize`: see `engine`
    from dg_engine.messages import Draft
    from dg_lsp.engine_client.client import EngineClient
    from dg_lsp.engine_client.launch import Launcher
    from dg_lsp.requests.asked import Asked
    from dg_lsp.requests.completions import Completions

log = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 0.5
DRAFT: Final = "dg/draft"


def create_server(
    *, command_line: Tree | None = None, environment: Tree | None = None, launcher: Launcher | None = None
) -> FrontServer:
    """A server for one client. `command_line` and `environment` hold settings that outrank the client's; `launcher` brings an engine."""
    return FrontServer(SettingsLayers(command_line, environment), launcher)


class FrontServer(LanguageServer):
    """Everything that belongs to one client. Lives on the loop that `run` is awaited on."""

    protocol: FrontProtocol

    def __init__(self, settings: SettingsLayers, launcher: Launcher | None) -> None:
        super().__init__("dg-lsp", dg_lsp.__version__, protocol_cls=FrontProtocol)
        self.documents = DocumentStore()
        self.settings = settings
        self.configuration = Configuration(self)
        self.fallback = FallbackRegistration(self)
        self.status = StatusBoard(self)
        self._launcher = launcher
        self.on_leave: Callable[[], None] = lambda: None
        """Called once, when the server has been told to end and nothing has been done about it yet."""
        self._leaving: asyncio.Future[int] | None = None
        self._watches: list[EditorWatch] = []
        register_all(self)

    @cached_property
    def engine(self) -> EngineClient:
        """Made when it is first looked at, after `initialize` was answered: nobody's editor waits for these modules to load."""
        from dg_lsp.engine_client.client import EngineClient  # noqa: PLC0415 - see above
        from dg_lsp.engine_client.launch import launch  # noqa: PLC0415

        return EngineClient(self.status.changed, self._launcher or launch, self.status.lost)

    @cached_property
    def completions(self) -> Completions:
        """Made as late as the engine."""
        from dg_lsp.requests.completions import Completions  # noqa: PLC0415 - see above

        made = Completions(self.documents, self.settings, self.engine, self.status.note, self.status.changed)
        made.eligibility.exclusions.set_workspaces(self.configuration.folders)
        return made

    # -- life

    async def run(self, incoming: int, outgoing: int) -> int:
        """Serve the client at these descriptors until it leaves; returns the exit code."""
        loop = asyncio.get_running_loop()
        leaving: asyncio.Future[int] = loop.create_future()
        self._leaving = leaving
        writer = self.protocol.out = Writer(outgoing, lambda: self._from_thread(self.leave))
        self.protocol.on_end = self.leave
        reader = Reader(incoming, lambda event: self._deliver(loop, event))
        writer.start()
        reader.start()
        try:
            return await leaving
        finally:
            self.protocol.cancel_all()
            for watch in self._watches:
                watch.stop()
            if "engine" in vars(self):
                await self.engine.close()
            await asyncio.sleep(0)  # cancelled requests get their answers
            self.protocol.out = None
            writer.close(FLUSH_SECONDS)

    def leave(self, code: int | None = None) -> None:
        """End `run`; without a code: 0 after a shutdown, else 1."""
        if self._leaving is not None and not self._leaving.done():
            self.on_leave()
            self._leaving.set_result((0 if self.protocol.shut_down else 1) if code is None else code)

    def watch_editor(self, pid: int | None) -> None:
        """Leave when this process ends; a pid that is not here is passed over."""
        if pid is None or pid <= 0:
            return
        watch = EditorWatch(pid, lambda: self._from_thread(self.leave))
        if watch.arm():
            self._watches.append(watch)

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002 - pygls' signature
        """Faults are logged, never shown as pop-ups."""
        log.error("%s", type(error).__name__)

    def apply_settings(self) -> None:
        """Let the settings that hold now take effect."""
        current = self.settings.current
        self.status.notifies = self.settings.switch("status")
        self.completions.on_draft = self._draw if self.settings.switch("drafts") else None
        other_engine = self.engine.configure(current.engine)
        if other_engine or not current.completion.enabled:
            self.completions.memory.clear()
        self.completions.configured()
        self.fallback.update(on=current.completion.fallback_completion)
        self.status.changed()

    # -- inside

    def _deliver(self, loop: asyncio.AbstractEventLoop, event: Event) -> None:
        """Hand an event from the reader's thread to the loop. Raises RuntimeError when that has ended."""
        loop.call_soon_threadsafe(self.protocol.receive, event)

    def _from_thread(self, function: Any) -> None:
        loop = self._leaving.get_loop() if self._leaving is not None else None
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended already
                loop.call_soon_threadsafe(function)

    def _draw(self, asked: Asked, draft: Draft) -> None:
        """What a job's canvas holds, for clients that opted in (`drafts`): its first one, where several are drafted."""
        if draft.candidate:
            return
        self.protocol.notify(
            DRAFT,
            {
                "uri": asked.uri,
                "version": asked.version,
                "position": self.documents.position(asked.text, asked.cursor),
                "text": draft.text,
                "confidence": [[span.end, span.probability] for span in draft.confidence],
                "pass": draft.pass_,
                "cap": draft.cap,
            },
        )
