"""The engine as the rest of the front sees it: start it, ask it, know how it is."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import dg_lsp
from dg_engine.messages import Bye, ClientInfo, Completion, FillJob, Hello, Message, Status, Welcome
from dg_lsp.engine_client.connection import Connection, OnDraft
from dg_lsp.engine_client.errors import LostError, NoCompletionError, UnavailableError
from dg_lsp.engine_client.launch import Launcher, launch
from dg_lsp.engine_client.restart import RestartPolicy
from dg_lsp.settings.model import EngineSettings

log = logging.getLogger(__name__)

HOLD_SECONDS: Final = 30.0
"""How long a request waits for a model that loads."""
WELCOME_SECONDS: Final = 15.0
"""How long an engine may take to say Hello back: it does so while it loads as well, and one that does not is stuck."""
RETRY_SECONDS: Final = 5.0
"""After that long it is looked again whether an engine can be had: a model folder may be there now, somebody may listen at the socket."""
RELOAD_SECONDS: Final = 60.0
"""The same where an engine was started and could not load its model: that costs more."""
LEAVING_TRIES, LEAVING_SECONDS = 5, 0.2
"""An engine that ends before it has said anything may have been leaving already: that is no loss, a few times."""
LEAVE_SECONDS: Final = 4.0
"""How long an engine may take to leave when it is asked to; then it is killed."""
TRIES: Final = 2
"""How often a job is given to an engine: an engine that ends under a job is started again, and gets it once more."""

BUILT_IN_LANGUAGES: Final = ("python",)
ANY_LANGUAGE: Final = "*"

CLOSED: Final = "The server is closing."
STUCK: Final = "The engine (process {}) does not answer; dg.server.restartEngine or `dg-lsp engine stop` ends it."
WORN_OUT: Final = (
    "The engine ended three times within five minutes: `dg-lsp engine logs` says why, dg.server.restartEngine starts it again."
)

State = Literal["absent", "loading", "ready", "unavailable"]


@dataclass(slots=True)
class EngineFacts:
    """How the engine is; `reason` says why it is unavailable."""

    state: State = "absent"
    reason: str = ""
    progress: float | None = None
    message: str = ""
    welcome: Welcome | None = None


class EngineClient:
    """Keeps one engine going. `changed` is called whenever `facts` changed. Belongs to the loop's thread."""

    def __init__(
        self, changed: Callable[[], None], launcher: Launcher = launch, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        """`notice` gets a sentence for the user each time that an engine was lost."""
        self.facts = EngineFacts()
        self._changed, self._notice = changed, notice
        self._launcher = launcher
        self._settings = EngineSettings()
        self._policy = RestartPolicy()
        self._connection: Connection | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._pulse = asyncio.Event()
        self._cannot = ""
        """Why the engine could not load its model."""
        self._bye: Bye | None = None
        """What it said before it left."""
        self._worn_out = False
        self._patience: asyncio.Timeout | None = None
        """Ends the wait for a Welcome."""
        self._stuck: int | None = None
        """The process of an engine that did not answer."""
        self._replacing: asyncio.Task[None] | None = None
        self._was_ready = False
        """An engine has greeted us since the settings were as they are."""
        self._gave_up = 0.0
        """When it was last found that none can be had."""
        self._must_end = False
        """The engine itself has to end, not only our connection."""
        self._met_leaving = 0
        self._closed = False

    def start(self) -> None:
        """See that an engine runs or starts; nothing happens when one does, or when it is known that none can be had."""
        if self._closed or self._is_replacing:
            return
        if self._keeper is None or (self._keeper.done() and self._may_try_again()):
            self._begin()

    def _begin(self) -> None:
        self._set("loading")
        self._keeper = asyncio.create_task(self._keep())

    def configure(self, settings: EngineSettings) -> bool:
        """Take new settings; we let go of the engine that we have, and look for one that they ask for. Whether they are new."""
        if settings == self._settings:
            return False
        self._settings, self._was_ready = settings, False
        if self._keeper is not None:
            self._replace()
        return True

    def restart(self) -> None:
        """Have the engine end, for everybody who shares it, and start anew; one that does not leave, or does not answer, is killed."""
        self._must_end = True
        self._replace()

    def _replace(self) -> None:
        """Let go of the engine and get one anew, with a clean record of losses. What comes while that is done is done with it."""
        self._policy, self._worn_out = RestartPolicy(), False
        self._set("loading")  # at once: a request that comes now waits for the new one
        if not self._is_replacing:
            self._replacing = asyncio.create_task(self._replace_now())

    @property
    def _is_replacing(self) -> bool:
        """Whether one is let go of and the next not begun: whoever began one in between would have it live beside the next."""
        return self._replacing is not None and not self._replacing.done()

    async def _replace_now(self) -> None:
        if self._must_end:
            await self._end_engine()
        await self._let_go()
        self._must_end = False  # here: a second restart while the first was under way asked for the same
        self._begin()

    async def _end_engine(self) -> None:
        connection, process = self._connection, self._stuck
        if connection is not None:
            process = connection.process
            self.tell(Bye(reason="stop"))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(connection.ended.wait(), LEAVE_SECONDS)
                process = None
        if process is not None and self._settings.socket is None:
            log.warning("The engine's process %d does not answer and is killed.", process)
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)

    async def fill(self, job: FillJob, on_draft: OnDraft | None = None) -> Completion:
        """The completion of a job; waits while the model loads. Raises NoCompletionError with a sentence for the user."""
        deadline = asyncio.get_running_loop().time() + HOLD_SECONDS
        for attempt in range(1, TRIES + 1):
            connection = await self._ready(deadline)
            try:
                return await connection.fill(job, on_draft)
            except LostError:
                if attempt == TRIES:
                    raise
                if self._connection is connection:
                    self._connection = None
                    self._set("loading")
        raise AssertionError("unreachable")

    async def ready(self) -> None:
        """Wait until the model is loaded. Raises NoCompletionError."""
        await self._ready(asyncio.get_running_loop().time() + HOLD_SECONDS)

    @property
    def languages(self) -> Sequence[str]:
        """The languages of the model; before it has said so: those of the built-in one, any of another."""
        if self.facts.welcome is not None and self.facts.welcome.languages:
            return self.facts.welcome.languages
        built_in = self._settings.model is None and self._settings.socket is None
        return BUILT_IN_LANGUAGES if built_in else (ANY_LANGUAGE,)

    def tell(self, message: Message) -> None:
        """Send a message that has no answer; an engine that is away misses it."""
        if self._connection is not None:
            try:
                self._connection.send(message)
            except NoCompletionError:
                log.debug("%s was not delivered", type(message).__name__)

    async def close(self) -> None:
        """Let the engine go, for good."""
        self._closed = True
        if self._replacing is not None:
            self._replacing.cancel()
        await self._let_go()

    async def _let_go(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self._set("absent")

    # -- keeping one

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                await self._live()
            except UnavailableError as error:
                if not (self._was_ready and self._settings.socket is not None):
                    self._set("unavailable", str(error))
                    return
                log.warning("%s", error)  # a tunnel that was there before may come back
            except OSError as error:
                log.warning("The engine could not be reached: %s", error.strerror or error)
            except Exception as error:  # noqa: BLE001 - whatever the settings hold: those who wait must hear of it
                log.error("starting the engine failed: %s", type(error).__name__)  # noqa: TRY400 - no traceback for users
                self._set("unavailable", f"The engine cannot be started with these settings ({type(error).__name__}).")
                return
            if reason := self._refused():
                self._set("unavailable", reason)
                return
            if self._bye is not None:
                log.info("The engine left: %s", self._bye.sentence)
                self._set("absent")
                return
            shared = self._settings.mode == "shared" or self._settings.socket is not None
            if shared and self.facts.welcome is None and self._met_leaving < LEAVING_TRIES:
                self._met_leaving += 1
                await asyncio.sleep(LEAVING_SECONDS)
                continue
            delay = self._policy.lost(loop.time())
            log.warning("The engine ended; next start in %s s", delay)
            if delay is None:
                self._worn_out = True
                self._set("unavailable", WORN_OUT)
                return
            self._notice("The engine ended unexpectedly; it is started again.")
            self._set("loading")
            await asyncio.sleep(delay)

    async def _live(self) -> None:
        """One engine's life, from its start to its end."""
        self._cannot, self._bye, self.facts.welcome = "", None, None
        link = await self._launcher(self._settings)
        connection = Connection(link, self._heard)
        try:
            us = ClientInfo(name="dg-lsp", version=dg_lsp.__version__, pid=os.getpid())
            connection.send(Hello(client=us, token=link.token))
            self._connection = connection
            self._stuck = None
            async with asyncio.timeout(WELCOME_SECONDS) as self._patience:
                await connection.run()
        except LostError:
            log.warning("The engine ended at once.")
        except TimeoutError:
            self._stuck = connection.process
            raise UnavailableError(STUCK.format(self._stuck)) from None
        finally:
            self._connection = None
            await connection.close()

    def _refused(self) -> str:
        """Why this engine will not serve us, now or later; empty when it would, or has."""
        if self._cannot:
            return self._cannot
        greeted = self.facts.welcome is not None
        return "" if greeted or self._bye is None else self._bye.sentence or f"The engine refused us ({self._bye.reason})."

    def _may_try_again(self) -> bool:
        """One that was idle has left; there were losses, and their window has passed; or what was missing may be there by now."""
        if self.facts.state == "absent":
            return True
        now = asyncio.get_running_loop().time()
        if self._worn_out:
            return not self._policy.exhausted(now)
        return now - self._gave_up >= (RELOAD_SECONDS if self._cannot else RETRY_SECONDS)

    def _heard(self, message: Message) -> None:
        match message:
            case Welcome():
                if self._patience is not None:
                    self._patience.reschedule(None)
                self.facts.welcome, self._met_leaving, self._was_ready = message, 0, True
                self._set("ready" if message.state == "ready" else "loading")
            case Status(state="ready"):
                self._set("ready")
            case Status(state="loading"):
                self._set("loading", progress=message.progress, message=message.message)
            case Status(state="stopping"):
                self._cannot = message.message
            case Bye():
                self._bye = message
            case _:
                pass

    # -- waiting for one

    async def _ready(self, deadline: float) -> Connection:
        try:
            async with asyncio.timeout_at(deadline):
                while self.facts.state != "ready" or self._connection is None:
                    if self._closed:
                        raise UnavailableError(CLOSED)
                    self.start()  # in each round: one that was idle may have left meanwhile
                    if self.facts.state == "unavailable" and not self._is_replacing:
                        raise UnavailableError(self.facts.reason)
                    await self._pulse.wait()
        except TimeoutError:
            raise UnavailableError("The model is still loading.") from None
        return self._connection

    def _set(self, state: State, reason: str = "", progress: float | None = None, message: str = "") -> None:
        if state == "unavailable":
            self._gave_up = asyncio.get_running_loop().time()
        facts = self.facts
        facts.state, facts.reason, facts.progress, facts.message = state, reason, progress, message
        self._pulse.set()
        self._pulse = asyncio.Event()
        self._changed()
