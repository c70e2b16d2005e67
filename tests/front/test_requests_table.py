"""The table of pending requests."""

from __future__ import annotations

import asyncio

from dg_lsp.documents import edit
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text
from dg_lsp.requests.table import Pending, PendingRequests
from dg_lsp.requests.typed import Typed

TEXT = Text.of("x = \ny = 2\n")


def pending(uri: str) -> Pending:
    """A request that never ends by itself, behind `x = `."""
    one = Pending(uri, Typed(Place(0, 4)))
    one.task = asyncio.ensure_future(asyncio.sleep(3600))
    return one


async def ended(one: Pending) -> bool:
    """Whether the request was ended."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert one.task is not None
    if one.task.cancelled():
        return True
    one.task.cancel()
    return False


def test_a_newer_request_ends_the_older_of_its_document_only() -> None:
    """Supersede rule, part 2."""

    async def run() -> list[bool]:
        table = PendingRequests()
        first, other, second = pending("a"), pending("b"), pending("a")
        for one in (first, other, second):
            table.add(one)
        assert len(table) == 2
        return [await ended(one) for one in (first, other, second)]

    assert asyncio.run(run()) == [True, False, False]


def test_changes_end_it_unless_they_are_typing() -> None:
    """Supersede rule, part 3."""

    async def run(place: Place, new: str, uri: str = "a") -> bool:
        table = PendingRequests()
        one = pending("a")
        table.add(one)
        table.edited(uri, [edit.apply(TEXT, place, place, new)])
        return await ended(one)

    assert asyncio.run(run(Place(0, 4), "v")) is False
    assert asyncio.run(run(Place(1, 0), "v")) is True
    assert asyncio.run(run(Place(1, 0), "v", uri="b")) is False


def test_an_answered_request_leaves() -> None:
    """A late end of an older request does not remove the newer one."""

    async def run() -> tuple[int, int]:
        table = PendingRequests()
        first, second = pending("a"), pending("a")
        table.add(first)
        table.add(second)
        table.remove(first)
        left = len(table)
        table.remove(second)
        assert await ended(second) is False
        return left, len(table)

    assert asyncio.run(run()) == (1, 0)
