"""What ends a request early, and what the engine still computes then."""

from __future__ import annotations

import pytest

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Served

CANCELLED = -32800


def code(served: Served, message_id: int | str) -> int | None:
    """The error code of an answer."""
    found: int | None = served.client.wait(message_id).get("error", {}).get("code")
    return found


def began(served: Served, document: Document) -> int | str:
    """A request whose job has reached the engine."""
    jobs = len(served.engine.jobs)
    message_id = document.begin()
    served.engine.wait_for(lambda engine: len(engine.jobs) > jobs, "the job")
    return message_id


def test_a_cancelled_request(served: Served) -> None:
    """Answered -32800, and the engine computes at most the pass in flight."""
    served.script(Rule(passes=1000, pass_ms=5))
    document = Document(served.client, "x = ‸\n")
    before, after = served.engine.passes, served.engine.passes_after_cancel
    message_id = began(served, document)
    served.engine.wait_for(lambda engine: engine.passes > before + 2, "some passes")
    served.client.cancel(message_id)
    assert code(served, message_id) == CANCELLED
    served.engine.wait_for(lambda engine: engine.ended[-1:] == [(engine.jobs[-1].id, "cancelled")], "the job's end")
    assert served.engine.passes_after_cancel - after <= 1


def test_a_request_cancelled_in_the_same_write(served: Served) -> None:
    """Before anything was computed."""
    served.script(Rule(hold=True))
    document = Document(served.client, "x = ‸\n")
    with served.client.in_one_write():
        message_id = document.begin()
        served.client.cancel(message_id)
    assert code(served, message_id) == CANCELLED
    served.client.cancel(message_id)  # of something answered: nothing happens
    served.client.cancel("never asked")
    served.settle()


def test_a_newer_request_for_the_document(served: Served) -> None:
    """A hundred requests: all but the last end, and the engine runs at most two to their end."""
    served.script(Rule(passes=3, pass_ms=2))
    document = Document(served.client, "x = ‸\n")
    ended = len(served.engine.ended)
    with served.client.in_one_write():
        ids = []
        for character in "abcdefghij" * 10:
            document.type(character)
            ids.append(document.begin())
    assert len(document.answer(ids[-1])) == 1
    assert [code(served, one) for one in ids[:-1]] == [CANCELLED] * 99
    assert sum(end == "completed" for _, end in served.engine.ended[ended:]) <= 2


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.edit(0, 0, "import re\n"),
        lambda document: document.edit(2, 3, ""),
        lambda document: document.replace_all("something else ‸\n"),
        lambda document: document.close(),
    ],
    ids=["above", "before the cursor", "all of it", "closed"],
)
def test_a_change_elsewhere(served: Served, change: object) -> None:
    """Answered -32800, never with an empty list."""
    assert callable(change)
    served.script(Rule(hold=True))
    document = Document(served.client, "x = ‸\n")
    message_id = began(served, document)
    change(document)
    assert code(served, message_id) == CANCELLED


def typing_while_pending(served: Served, marked: str, text: str, *changes: object) -> tuple[Document, list[dict[str, object]]]:
    """The document and the items of a request during which the document changed."""
    served.script(Rule(text=text, hold=True))
    document = Document(served.client, marked)
    message_id = began(served, document)
    for change in changes:
        assert callable(change)
        change(document)
    served.settle()
    served.engine.let_go()
    return document, document.answer(message_id)


def test_typing_along_re_bases(served: Served) -> None:
    """The answer is what is left, at the cursor as it is now."""
    document, (item,) = typing_while_pending(served, "x = ‸\n", "value", lambda d: d.type("val"))
    assert item["insertText"] == "ue"
    assert document.accepted(item) == "x = value\n"


def test_taken_back(served: Served) -> None:
    """Typed and taken back is as if nothing had been typed."""
    _, (item,) = typing_while_pending(served, "x = ‸\n", "value", lambda d: d.type("ab"), lambda d: d.delete_back(2))
    assert item["insertText"] == "value"


def test_an_auto_closed_pair_counts_as_its_opener(served: Served) -> None:
    """And its closer is not offered again."""

    def opens(document: Document) -> None:
        document.edit(document.cursor, document.cursor, "()")
        document.cursor -= 1

    document, (item,) = typing_while_pending(served, "x = f‸\n", "(a, b)", opens, lambda d: d.type("a"))
    assert document.accepted(item) == "x = f(a, b)\n"


def test_typing_otherwise_leaves_nothing_to_show(served: Served) -> None:
    """The answer does not continue what stands there now."""
    _, items = typing_while_pending(served, "x = ‸\n", "value", lambda d: d.type("q"))
    assert items == []


def test_a_second_document_is_answered_in_its_turn(served: Served) -> None:
    """It supersedes nothing, and `dg/status` is answered while the job runs."""
    served.script(Rule(document="slow.py", text="slow", hold=True), Rule(text="quick"))
    slow = Document(served.client, "x = ‸\n", uri="file:///w/slow.py")
    quick = Document(served.client, "y = ‸\n", uri="file:///w/quick.py")
    first = began(served, slow)
    second = began(served, quick)
    report = served.client.request("dg/status", {"textDocument": {"uri": slow.uri}})["result"]
    assert report["busy"] is True
    assert first not in served.client.answers
    served.engine.let_go()
    assert [item["insertText"] for item in slow.answer(first)] == ["slow"]
    assert [item["insertText"] for item in quick.answer(second)] == ["quick"]
    served.settle()
    assert served.client.request("dg/status")["result"]["busy"] is False


def test_typing_along_a_shown_suggestion_asks_no_engine(served: Served) -> None:
    """The rest comes from memory, until something else changes."""
    served.script(Rule(text="value + 1"))
    document = Document(served.client, "x = ‸\ny = 2\n")
    (item,) = document.items()
    jobs = len(served.engine.jobs)
    for character in "value":
        document.type(character)
        (item,) = document.items()
        assert document.accepted(item) == "x = value + 1\ny = 2\n"
    assert len(served.engine.jobs) == jobs
    document.edit(0, 0, "# \n")
    document.items()
    assert len(served.engine.jobs) == jobs + 1


def test_an_auto_closed_pair_along_a_shown_suggestion(served: Served) -> None:
    """The closer that the editor has put there is not offered a second time."""
    served.script(Rule(text="(a, b)"))
    document = Document(served.client, "x = f‸\n")
    document.items()
    jobs = len(served.engine.jobs)
    document.edit(document.cursor, document.cursor, "()")
    document.cursor -= 1
    (item,) = document.items()
    assert document.accepted(item) == "x = f(a, b)\n"
    assert len(served.engine.jobs) == jobs
