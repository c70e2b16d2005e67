"""Typing with a pause before each request, on two real servers in turn: one runs jobs ahead of requests, the other waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from dg_bench.drive.client import Client
from dg_bench.drive.document import AUTOMATIC, METHOD, Document
from dg_bench.front.stage import folders
from dg_bench.items import Item

LOADING: Final = 60.0
KEYS: Final = 4
"""Typed in each hole, of what stood there."""


@dataclass
class Typist:
    """A server, and how long its answers took."""

    client: Client
    ms: list[float] = field(default_factory=list)

    def open(self, item: Item) -> Document:
        """A hole's document, asked in once."""
        document = Document(self.client, f"{item.prefix}‸{item.suffix}")
        document.items(AUTOMATIC, wait=LOADING)
        return document

    def key(self, document: Document, sign: str, pause: float, *, counts: bool) -> list[Any]:
        """Type a sign, pause as an editor does, ask; returns the items."""
        document.type(sign)
        threading.Event().wait(pause)
        params = document.params(AUTOMATIC)
        started = time.perf_counter()
        answer = self.client.request(METHOD, params)
        if counts:
            self.ms.append((time.perf_counter() - started) * 1000)
        items: list[Any] = answer["result"]
        return items


@contextmanager
def typists() -> Iterator[tuple[Typist, Typist]]:
    """With, and without, each with an engine of its own."""
    with folders() as (_, environment), Client(environment=environment) as ahead, Client(environment=environment) as plain:
        for client, speculative in ((ahead, True), (plain, False)):
            client.initialize(options={"engine": {"mode": "embedded"}, "completion": {"speculative": speculative}})
        yield Typist(ahead), Typist(plain)


def type_all(ahead: Typist, plain: Typist, items: Sequence[Item], pause: float) -> None:
    """Every hole on both, who goes first in turn; the first hole of all does not count."""
    for number, item in enumerate(items):
        both = [(one, one.open(item)) for one in ((ahead, plain) if number % 2 else (plain, ahead))]
        for sign in item.gold[:KEYS]:
            for typist, document in both:
                typist.key(document, sign, pause, counts=number > 0)
        for _, document in both:
            document.close()


def same_answers(ahead: Typist, plain: Typist, items: Sequence[Item]) -> str | None:
    """The first place where the two say different things; None when they never do."""
    for item in items:
        documents = [(one, one.open(item)) for one in (ahead, plain)]
        for sign in item.gold[:KEYS]:
            mine, other = ([one["insertText"] for one in typist.key(at, sign, 0.1, counts=False)] for typist, at in documents)
            if mine != other:
                return f"at {item.name}, having typed {sign!r}, one says {mine}, the other {other}."
    return None
