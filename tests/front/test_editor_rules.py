"""What makes all clients right, beside what users report: order of messages, versions, asking again, the pop-up's entry."""

from __future__ import annotations

import json

import pytest

from dg_bench.drive.document import AUTOMATIC, METHOD
from dg_bench.drive.editor import Editor
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve

CANCELLED = -32800


def test_every_item_is_a_plain_string_with_a_range(editor: Editor) -> None:
    """No snippet, no filter text: what clients ignore, or read each in their own way."""
    editor.drafts("f(${1:x})")
    (item,) = editor.open("y = ‸\n").items()
    assert item["insertText"] == "f(${1:x})"
    assert set(item) == {"insertText", "range", "command"}


def test_a_cancel_comes_just_before_the_change(editor: Editor) -> None:
    """As VS Code does on every key: cancel, change, ask again."""
    editor.drafts("value", passes=3, pass_ms=2)
    document = editor.open("x = ‸\n")
    asked = []
    for sign in "val":
        asked.append(document.begin(AUTOMATIC))
        editor.served.client.cancel(asked[-1])
        document.type(sign)
    (item,) = document.items(AUTOMATIC)
    assert item["insertText"] == "value"
    assert [editor.served.client.wait(one)["error"]["code"] for one in asked] == [CANCELLED] * 3


def test_typing_without_a_cancel(editor: Editor) -> None:
    """As Neovim does: the older request is not cancelled; it ends all the same, and never with an empty list."""
    editor.drafts("value", hold=True)
    document = editor.open("x = ‸\n")
    first = document.begin(AUTOMATIC)
    document.type("v")
    second = document.begin(AUTOMATIC)
    assert editor.served.client.wait(first)["error"]["code"] == CANCELLED
    editor.served.settle()
    editor.served.engine.let_go()
    (item,) = document.answer(second)
    assert item["insertText"] == "value"  # drafted for "v": the model was asked again


def test_asked_again_after_an_accept(editor: Editor) -> None:
    """Clients ask at once; what was accepted is text now, and is not offered a second time."""
    editor.served.script(Rule(prefix_ends="x = ", text="f("), Rule(prefix_ends="f(", text="1)"))
    document = editor.open("x = ‸\n")
    (item,) = document.items()
    document.edit(document.cursor, document.cursor, item["insertText"])
    (item,) = document.items()
    assert document.accepted(item) == "x = f(1)\n"


@pytest.mark.parametrize("versions", [(0, 1, 2), (1, 7, 100), (5, 5, 3)], ids=["from 0", "with jumps", "backwards"])
def test_versions_start_and_jump_as_they_like(editor: Editor, versions: tuple[int, ...]) -> None:
    """It is the order of messages that counts."""
    editor.drafts("value")
    client, uri = editor.served.client, f"file:///w/versions{versions[0]}.py"
    first, *later = versions
    client.notify(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": first, "text": "x = "}}
    )
    for version in later:
        change = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "a"}
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}, "context": {"triggerKind": 1}}
    (item,) = client.request(METHOD, params)["result"]
    assert item["range"]["start"] == {"line": 0, "character": 6}
    assert (editor.served.engine.jobs[-1].prefix, editor.served.engine.jobs[-1].version) == ("aax = ", versions[-1])


def test_several_changes_in_one_notification_come_one_after_the_other(editor: Editor) -> None:
    """Each in the text that the one before it left."""
    editor.drafts("value")
    document = editor.open("x = ‸\n")
    at = {"line": 0, "character": 0}
    changes = [
        {"range": {"start": at, "end": at}, "text": "😀\n"},
        {"range": {"start": at, "end": {"line": 1, "character": 1}}, "text": "y"},
    ]
    identifier = {"uri": document.uri, "version": 2}
    editor.served.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})
    document.items()
    assert editor.served.engine.jobs[-1].prefix == "y = "


@pytest.mark.parametrize("as_array", [False, True])
def test_the_item_extends_the_pop_ups_entry(editor: Editor, as_array: bool) -> None:
    """At the entry's range, or VS Code shows nothing; old clients send the range as two positions."""
    editor.served.script(Rule(prefix_ends="x.append", text="(1)"))
    document = editor.open("x.ap‸\n")
    start, end = document.position(2), document.position(document.cursor)
    span = [start, end] if as_array else {"start": start, "end": end}
    (item,) = document.items(AUTOMATIC, selected={"range": span, "text": "append"})
    assert item["insertText"].startswith("append")
    assert item["range"] == {"start": start, "end": end}
    assert document.accepted(item) == "x.append(1)\n"


def test_fields_of_copilots_protocol_are_passed_over(editor: Editor) -> None:
    editor.drafts("value")
    document = editor.open("x = ‸\n")
    params = document.params(AUTOMATIC)
    params["textDocument"]["version"] = 1
    params |= {"formattingOptions": {"tabSize": 4, "insertSpaces": True}, "context": {"triggerKind": 2, "source": "x"}}
    assert len(editor.served.client.request(METHOD, params)["result"]) == 1


def test_a_client_that_never_says_initialized(serve: Serve) -> None:
    """It is answered, and asked nothing."""
    served = serve(initialize=False)
    options = {"engine": {"socket": str(served.engine.path)}}
    capabilities = {"workspace": {"configuration": True}, "window": {"workDoneProgress": True}}
    served.client.request("initialize", {"processId": None, "capabilities": capabilities, "initializationOptions": options})
    served.script(Rule(text="value"))
    item = {"uri": "untitled:x", "languageId": "python", "version": 0, "text": "x = "}
    served.client.notify("textDocument/didOpen", {"textDocument": item})
    params = {"textDocument": {"uri": "untitled:x"}, "position": {"line": 0, "character": 4}, "context": {"triggerKind": 1}}
    assert len(served.client.request(METHOD, params)["result"]) == 1
    assert served.client.asked == []
    assert json.dumps(served.client.notifications) == "[]"
