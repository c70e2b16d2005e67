"""The path of an inline-completion request, from its snapshot to its answer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from lsprotocol import types

from dg_engine.messages import Completion, Draft, FillJob, Guess, Release
from dg_lsp import logs
from dg_lsp.context.window import PrefixWindow
from dg_lsp.documents import uri as uris
from dg_lsp.documents.edit import Edit
from dg_lsp.documents.store import Document, DocumentStore
from dg_lsp.engine_client.client import EngineClient
from dg_lsp.engine_client.errors import NoCompletionError
from dg_lsp.guesses.index import GuessIndex
from dg_lsp.requests import answer, asked, job
from dg_lsp.requests.again import AskedAgain
from dg_lsp.requests.ahead import AheadOfRequests, typed_at
from dg_lsp.requests.answer import LEAST_SCORE, Limits
from dg_lsp.requests.asked import Asked
from dg_lsp.requests.eligible import INSIDE_WORD, Eligibility
from dg_lsp.requests.journal import Journal, Source, Told, explained
from dg_lsp.requests.outcome import outcome
from dg_lsp.requests.power import Power
from dg_lsp.requests.table import Pending, PendingRequests
from dg_lsp.requests.typed import Typed
from dg_lsp.reuse.memory import Memory, Suggestion
from dg_lsp.settings.layers import SettingsLayers
from dg_lsp.settings.model import CompletionSettings
from dg_lsp.shaping.rules import not_confident

log = logging.getLogger(__name__)

NOT_WORTH_SHOWING: Final = "Nothing of the model's answer was worth showing here."
NOTHING_TO_SAY: Final = "The model had nothing to say here."
NOT_CONFIDENT: Final = "The model was not confident enough"
_ORDINARY: Final = (INSIDE_WORD, NOT_WORTH_SHOWING, NOTHING_TO_SAY, NOT_CONFIDENT)
"""How reasons begin that come while one types: nobody needs a warning of them."""

Items = list[types.InlineCompletionItem]


class Completions:
    """Answers requests and keeps what belongs to a document between them."""

    def __init__(
        self,
        store: DocumentStore,
        settings: SettingsLayers,
        engine: EngineClient,
        note: Callable[[str, str], None],
        changed: Callable[[], None],
    ) -> None:
        """`note` gets why a document's request came back empty; `changed` is called when requests begin and end."""
        self.pending = PendingRequests(changed)
        self.memory = Memory()
        self.on_draft: Callable[[Asked, Draft], None] | None = None
        """Gets every draft, when somebody draws them."""
        self._store = store
        self._engine = engine
        self._note = note
        self._ahead = AheadOfRequests(engine.fill)
        self._power = Power()
        self._again = AskedAgain()
        self.eligibility = Eligibility(settings)
        self.journal = Journal()
        self.guesses = GuessIndex(self._group_of)
        self._windows: dict[str, PrefixWindow] = {}
        self._said: set[str] = set()
        """Reasons that have been warned of."""

    # -- what happens to documents

    def opened(self, document: Document) -> None:
        """A document that is completed while typing brings the engine up."""
        self.pending.supersede(document.key)
        self.memory.forget(document.key)
        self._index(document)
        if self.why_not(document) is None and self.why_by_hand(document) is None:
            self._engine.start()

    def edited(self, uri: str, edits: list[Edit]) -> None:
        """Pending request and shown suggestion follow the edits, or end."""
        key = uris.key(uri)
        document = self._store.by_key(key)
        if document is None:
            return
        if (taken := self.memory.taken(key, edits)) and (told := outcome(taken.job, len(taken.text))):
            self._engine.tell(told)
        self.pending.edited(key, edits)
        self.memory.edited(key, edits)
        if edits and not self.guesses.follow(key, document.text):
            self._index(document)
        if self._ahead.changed(key):
            self._run_ahead(document, edits)

    def closed(self, uri: str) -> None:
        """Nothing of the document is kept."""
        key = uris.key(uri)
        self.pending.supersede(key)
        self.memory.forget(key)
        self._ahead.forget(key)
        self._again.forget(key)
        self.journal.forget(key)
        self.guesses.forget(key)
        if self._windows.pop(key, None) is not None:
            self._engine.tell(Release(document=key))

    def configured(self) -> None:
        """Settings or folders have changed: what is excluded now is forgotten, what is not any more is taken in."""
        for document in self._store.all():
            self._index(document)
        self.guesses.regroup()

    def _index(self, document: Document) -> None:
        """Keep the document for guesses, unless it is excluded or nobody wants them."""
        if self.eligibility.may_be_read(document):
            self.guesses.update(document.key, document.text)
        else:
            self.guesses.forget(document.key)

    def _group_of(self, key: str) -> str | None:
        """Guesses stay within a workspace folder and a language."""
        document = self._store.by_key(key)
        return f"{self.eligibility.exclusions.workspace_of(document.uri)} {document.language}" if document is not None else None

    def _job(self, request: Asked, *, seed: int = 0, drafts: bool = False, ready: bool = False) -> FillJob:
        settings = self.eligibility.completion(request.key)
        window = self._windows.setdefault(request.key, PrefixWindow())
        lines = job.lines_wanted(request, settings)
        guesses: list[Guess] = []
        if request.selected is None:  # only what runs ahead of a request waits for a millisecond's indexing
            guesses = self.guesses.guesses(request.key, request.text, request.cursor, lines, ready=ready)
        return job.build(request, window, settings, seed=seed, drafts=drafts, guesses=guesses)

    def why_not(self, document: Document) -> str | None:
        """Why nothing in this document is completed, or None."""
        return self.eligibility.why_not_document(document)

    def why_by_hand(self, document: Document) -> str | None:
        """Why this document is completed only when asked for, or None."""
        return self.eligibility.why_not_automatic(document.key, document.language, self._engine.languages)

    def _run_ahead(self, document: Document, edits: list[Edit]) -> None:
        """Ask the engine at the change already, if the client will ask here in a moment, and nothing of that is answered otherwise."""
        key = document.key
        settings = self.eligibility.completion(key)
        if not settings.speculative or settings.debounce_ms or self._power.on_battery:
            return
        if self.on_draft is not None:  # each request's passes are drawn: none may have gone before it
            return
        if self._engine.facts.state != "ready":
            return
        cursor = typed_at(edits)
        if cursor is None or key in self.pending or self.memory.recall(key, cursor) is not None:
            return
        request = asked.expected(document, cursor)
        if self._why_not_asked(document, request) is None:
            self._ahead.begin(key, self._job(request))

    def _why_not_asked(self, document: Document, request: Asked) -> str | None:
        return self.why_not(document) or self.eligibility.why_not_place(request, self._engine.languages)

    # -- requests

    def ask(self, params: types.InlineCompletionParams) -> Items | asyncio.Task[Items]:
        """The answer, at once or later. The snapshot is taken before this returns."""
        since = time.monotonic()
        key = uris.key(params.text_document.uri)
        self.pending.supersede(key)
        document = self._store.by_key(key)
        if document is None:
            return self._nothing(key, "The document is not open.")
        request = asked.read(self._store, document, params)
        reason = self._why_not_asked(document, request)
        if reason is not None:
            return self._refused(request, reason, since)
        times = self._again.count(request)
        self._ahead.asked(key)
        if not times and (known := self._recalled(request, since)) is not None:
            return known
        pending = Pending(key, Typed(request.cursor))
        pending.task = asyncio.create_task(self._work(request, pending, times, since))
        pending.task.add_done_callback(lambda _: self.pending.remove(pending))
        self.pending.add(pending)
        return pending.task

    def _recalled(self, request: Asked, since: float) -> Items | None:
        suggestion = None if request.selected else self.memory.recall(request.key, request.cursor)
        if suggestion is not None and request.trigger == "invoked":
            wanted = job.lines_wanted(request, self.eligibility.completion(request.key))
            suggestion = suggestion if suggestion.lines >= wanted else None
        if suggestion is not None and suggestion.closer:
            text = answer.reshape(suggestion.text, request.text, request.cursor)
            suggestion = Suggestion(text, suggestion.job) if text else None
        if suggestion is None:
            return None
        told = [Told(suggestion.text, suggestion.text)]
        self.journal.note(request.key, explained(request, "memory", since=since, candidates=told))
        return [answer.item(self._store, request.text, request.cursor, request.cursor, suggestion)]

    async def _work(self, request: Asked, pending: Pending, times: int, since: float) -> Items:
        try:
            settings = self.eligibility.completion(request.key)
            if settings.debounce_ms and request.trigger == "automatic":
                await asyncio.sleep(settings.debounce_ms / 1000)
            await self._engine.ready()
            reason = self.eligibility.why_not_place(request, self._engine.languages)  # by now the model has said what it knows
            if reason is not None:
                return self._refused(request, reason, since)
            completion = await self._fill(request, times)
            return self._reply(request, pending, completion, since)
        except NoCompletionError as error:
            return self._refused(request, str(error), since)

    async def _fill(self, request: Asked, times: int) -> Completion:
        draw = self.on_draft
        on_draft = (lambda draft: draw(request, draft)) if draw is not None else None
        fill = self._job(request, seed=times, drafts=on_draft is not None, ready=True)
        completion = await self._ahead.answer(request.key, fill, lambda: self._engine.fill(fill, on_draft))
        logs.source().debug("%s | %s <- %s", fill.prefix, fill.suffix, [one.text for one in completion.candidates])
        return completion

    def _reply(self, request: Asked, pending: Pending, completion: Completion, since: float) -> Items:
        document = self._store.by_key(request.key)
        if document is None or not completion.candidates:
            return self._refused(request, NOTHING_TO_SAY, since, completion=completion)
        if (reason := self.why_not(document)) is not None:  # switched off, or paused, meanwhile
            return self._refused(request, reason, since, completion=completion)
        settings = self.eligibility.completion(request.key)
        limits = Limits(job.lines_wanted(request, settings), settings.show_threshold)
        told = answer.shaped(request, pending.typed, completion, document.text, limits)
        texts = list(dict.fromkeys(one.shown for one in told if one.shown))
        if not texts:
            return self._refused(request, _why_nothing(told, settings), since, candidates=told, completion=completion)
        if request.selected is None:
            shown = Suggestion(texts[0], completion.id, lines=limits.max_lines)
            self.memory.remember(request.key, pending.typed.cursor, shown)
        self._note(request.key, "")
        self.journal.note(request.key, explained(request, "engine", since=since, candidates=told, completion=completion))
        suggestions = [Suggestion(text, completion.id) for text in texts]
        return [answer.item_for(self._store, request, document.text, pending.typed, one) for one in suggestions]

    def _refused(
        self,
        request: Asked,
        reason: str,
        since: float,
        *,
        candidates: list[Told] | None = None,
        completion: Completion | None = None,
    ) -> Items:
        source: Source = "nobody" if completion is None else "engine"
        note = explained(request, source, since=since, reason=reason, candidates=candidates, completion=completion)
        self.journal.note(request.key, note)
        return self._nothing(request.key, reason)

    def _nothing(self, key: str, reason: str) -> Items:
        if reason in self._said or reason.startswith(_ORDINARY):
            log.info("no completion: %s", reason)
        else:
            self._said.add(reason)
            log.warning("no completion: %s", reason)
        self._note(key, reason)
        return []


def _why_nothing(told: list[Told], settings: CompletionSettings) -> str:
    if not any(one.text.strip() for one in told):
        return NOTHING_TO_SAY
    surest = max(one.confidence for one in told)
    if any(act.rule == not_confident.NAME for one in told for act in one.rules):
        asked_for = LEAST_SCORE if settings.show_threshold is None else settings.show_threshold
        return f"{NOT_CONFIDENT}: {surest:.0%}, {asked_for:.0%} is asked for (completion.showThreshold)."
    return NOT_WORTH_SHOWING
