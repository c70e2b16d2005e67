"""Random typing, deleting and answering in random order: what is shown never contradicts the newest text."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dg_engine.messages import Candidate, Completion, FillJob, Message
from dg_lsp.documents.store import DocumentStore
from dg_lsp.engine_client.client import EngineClient
from dg_lsp.requests.completions import Completions
from dg_lsp.settings.layers import SettingsLayers

URIS = ("file:///a.py", "file:///b.py")
DRAFTS = ("abc", "aab", "b", "abab")


class LateEngine:
    """Holds every job, also those that run ahead of their requests, until it is told to answer one."""

    languages = ("python",)
    facts = SimpleNamespace(state="ready")

    def __init__(self) -> None:
        self.waiting: list[tuple[FillJob, asyncio.Future[Completion]]] = []

    def start(self) -> None:
        """It runs."""

    def tell(self, message: Message) -> None:
        """Nobody asks."""

    async def ready(self) -> None:
        """It is."""

    async def fill(self, job: FillJob, _on_draft: Any = None) -> Completion:
        """Wait for `answer`."""
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self.waiting.append((job, future))
        return await future

    def answer(self, which: int, text: str) -> None:
        """Answer the job that is `which`th in line, whether somebody still waits for it or not."""
        if self.waiting:
            _, future = self.waiting.pop(which % len(self.waiting))
            if not future.done():
                future.set_result(Completion(id=1, candidates=[Candidate(text=text, passes=1, stop="stable")]))


@dataclass
class Page:
    """A document as its editor has it; its one line is `before` + `after`."""

    uri: str
    before: str = "x = "
    after: str = ""
    version: int = 1
    asked: list[tuple[str, str, asyncio.Task[Any]]] = field(default_factory=list)


@dataclass
class World:
    """Editor, front and engine on one loop."""

    engine: LateEngine = field(default_factory=LateEngine)
    store: DocumentStore = field(default_factory=DocumentStore)
    pages: dict[str, Page] = field(default_factory=lambda: {uri: Page(uri) for uri in URIS})
    drafts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        engine = cast("EngineClient", self.engine)
        self.completions = Completions(self.store, SettingsLayers(), engine, lambda *_: None, lambda: None)
        for page in self.pages.values():
            self.completions.opened(self.store.open(page.uri, "python", 1, page.before + page.after + "\n"))

    def edit(self, page: Page, start: int, end: int, new: str) -> None:
        """Replace columns of the line, as `didChange` does."""
        page.version += 1
        span = types.Range(types.Position(0, start), types.Position(0, end))
        change = types.TextDocumentContentChangePartial(span, new)
        self.completions.edited(page.uri, self.store.change(page.uri, page.version, [change]))

    def type(self, page: Page, sign: str) -> None:
        """At the cursor."""
        self.edit(page, len(page.before), len(page.before), sign)
        page.before += sign

    def delete(self, page: Page) -> None:
        """Before the cursor."""
        if page.before:
            self.edit(page, len(page.before) - 1, len(page.before), "")
            page.before = page.before[:-1]

    def change_elsewhere(self, page: Page) -> None:
        """Behind the cursor."""
        self.edit(page, len(page.before + page.after), len(page.before + page.after), ")")
        page.after += ")"

    async def ask(self, page: Page) -> None:
        """At the cursor; what comes at once is judged at once."""
        at = types.Position(0, len(page.before))
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Invoked)
        result = self.completions.ask(types.InlineCompletionParams(context, types.TextDocumentIdentifier(page.uri), at))
        if isinstance(result, list):
            self.judge(page, result)
            return
        page.asked.append((page.before, page.after, result))
        await asyncio.sleep(0)

    async def settle(self) -> None:
        """Let every answer arrive, and judge it against the text as it is now."""
        for _ in range(5):
            await asyncio.sleep(0)
        for page in self.pages.values():
            for asked in [one for one in page.asked if one[2].done()]:
                page.asked.remove(asked)
                if not asked[2].cancelled():
                    self.judge(page, asked[2].result(), asked)

    def judge(self, page: Page, items: list[Any], asked: tuple[str, str, Any] | None = None) -> None:
        """What stands there after accepting is what the model wrote where it was asked."""
        assert str(self.store.get(page.uri).text) == page.before + page.after + "\n"  # type: ignore[union-attr]
        for item in items:
            assert item.range.start == item.range.end == types.Position(0, len(page.before))
            shown = page.before + item.insert_text
            if asked is not None:
                before, after, _ = asked
                assert after == page.after
                assert any(shown == before + draft for draft in DRAFTS)
            assert any(shown.endswith(draft) for draft in DRAFTS)


step = st.one_of(
    st.tuples(st.just("type"), st.sampled_from(URIS), st.sampled_from("ab")),
    st.tuples(st.just("delete"), st.sampled_from(URIS), st.none()),
    st.tuples(st.just("elsewhere"), st.sampled_from(URIS), st.none()),
    st.tuples(st.just("ask"), st.sampled_from(URIS), st.none()),
    st.tuples(st.just("ask"), st.sampled_from(URIS), st.none()),
    st.tuples(st.just("answer"), st.integers(0, 3), st.sampled_from(DRAFTS)),
    st.tuples(st.just("answer"), st.integers(0, 3), st.sampled_from(DRAFTS)),
)


async def play(steps: list[tuple[str, Any, Any]]) -> None:
    """All steps, then every answer that is still out."""
    world = World()
    for kind, where, what in steps:
        match kind:
            case "type":
                world.type(world.pages[where], what)
            case "delete":
                world.delete(world.pages[where])
            case "elsewhere":
                world.change_elsewhere(world.pages[where])
            case "ask":
                await world.ask(world.pages[where])
            case _:
                world.engine.answer(where, what)
        await world.settle()
    while world.engine.waiting:
        world.engine.answer(0, DRAFTS[0])
    await world.settle()
    assert not len(world.completions.pending)
    assert not any(page.asked for page in world.pages.values())


@given(steps=st.lists(step, max_size=40))
def test_nothing_shown_contradicts_the_newest_text(steps: list[tuple[str, Any, Any]]) -> None:
    asyncio.run(play(steps))
