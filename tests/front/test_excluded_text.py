"""Whatever is opened, typed, asked and set, in whatever order: what is excluded at a moment is in no message that is sent then."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dg_engine.messages import Candidate, Completion, FillJob, Message
from dg_lsp.documents.store import DocumentStore
from dg_lsp.engine_client.client import EngineClient, EngineFacts
from dg_lsp.requests.completions import Completions
from dg_lsp.settings.layers import SettingsLayers

NAMES = ("plain.py", ".env", "keys/id_rsa", "ignored/a.py", "hidden/a.py", "listed/a.py", "credentials.json", "app.min.js")
ALWAYS = {".env", "keys/id_rsa", "hidden/a.py", "credentials.json", "app.min.js"}
SETTINGS: tuple[tuple[dict[str, Any], set[str]], ...] = (
    ({}, ALWAYS),
    ({"exclude": {"globs": ["listed/"]}}, ALWAYS | {"listed/a.py"}),
    ({"exclude": {"gitignored": "both"}}, ALWAYS | {"ignored/a.py"}),
    ({"completion": {"languages": {"*": False}}}, set(NAMES)),
    ({"completion": {"enabled": False}}, set(NAMES)),
)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.sampled_from(range(len(SETTINGS)))),
        st.tuples(st.sampled_from(["type", "ask", "reopen"]), st.sampled_from(NAMES)),
    ),
    max_size=25,
)


class Listener:
    """An engine that answers at once and remembers what it got."""

    languages = ("python",)
    facts = EngineFacts(state="ready")

    def __init__(self) -> None:
        self.heard: list[Message] = []

    def start(self) -> None:
        """It runs."""

    def tell(self, message: Message) -> None:
        self.heard.append(message)

    async def ready(self) -> None:
        """It is."""

    async def fill(self, job: FillJob, _on_draft: Any = None) -> Completion:
        self.heard.append(job)
        return Completion(id=1, candidates=[Candidate(text="value", passes=1, stop="stable")])


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / ".git").mkdir()
        (root / ".gitignore").write_text("ignored/\n", encoding="utf-8")
        (root / ".cursorignore").write_text("hidden/*\n", encoding="utf-8")
        yield root


@given(steps=steps)
def test_no_message_quotes_it(repository: Path, steps: list[tuple[str, Any]]) -> None:
    asyncio.run(_play(repository, steps))


async def _play(root: Path, steps: list[tuple[str, Any]]) -> None:
    engine, store, settings = Listener(), DocumentStore(), SettingsLayers()
    completions = Completions(store, settings, cast("EngineClient", engine), lambda *_: None, lambda: None)
    words = {name: f"word{number}word" for number, name in enumerate(NAMES)}

    def open_(name: str) -> None:
        completions.opened(store.open((root / name).as_uri(), "python", 1, f"{words[name]} = 1\n"))

    for name in NAMES:
        open_(name)
    excluded = SETTINGS[0][1]
    for kind, what in steps:
        heard = len(engine.heard)
        if kind == "set":
            settings.set_configuration(SETTINGS[what][0])
            excluded = SETTINGS[what][1]
        elif kind == "reopen":
            completions.closed((root / what).as_uri())
            open_(what)
        else:
            await _touch(completions, store, (root / what).as_uri(), ask=kind == "ask")
        said = repr(engine.heard[heard:])
        assert not [name for name in excluded if words[name] in said]
        if kind == "ask" and what not in excluded:
            assert words[what] in said or "word" not in said  # asked, or answered from memory


async def _touch(completions: Completions, store: DocumentStore, uri: str, *, ask: bool) -> None:
    """Ask by hand at the first line's start, or type there."""
    at = types.Position(0, 0)
    if ask:
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Invoked)
        result = completions.ask(types.InlineCompletionParams(context, types.TextDocumentIdentifier(uri), at))
        if isinstance(result, asyncio.Task):
            await asyncio.gather(result, return_exceptions=True)
        return
    document = store.get(uri)
    assert document is not None
    change = types.TextDocumentContentChangePartial(types.Range(at, at), "x")
    completions.edited(uri, store.change(uri, document.version + 1, [change]))
    await asyncio.sleep(0)  # what runs ahead is sent
