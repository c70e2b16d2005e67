"""The same answer as one entry of a menu, for editors without inline completion."""

from __future__ import annotations

from typing import Any

import pytest

from dg_bench.drive.client import plain_params
from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served

METHOD = "textDocument/completion"
ON = {"fallbackCompletion": True, "speculative": False}


def start(serve: Serve, *, on: bool, dynamic: bool = False) -> tuple[Served, Any]:
    served = serve(initialize=False)
    options = {"engine": {"socket": str(served.engine.path)}, "completion": ON if on else {}}
    params = plain_params(options=options)
    params["capabilities"]["textDocument"]["completion"] = {"dynamicRegistration": dynamic}
    return served, served.client.initialize(params)["capabilities"]


@pytest.fixture(scope="module")
def offering(serve: Serve) -> Served:
    return start(serve, on=True)[0]


def menu(served: Served, document: Document) -> Any:
    params = {
        "textDocument": {"uri": document.uri},
        "position": document.position(document.cursor),
        "context": {"triggerKind": 1},
    }
    return served.client.request(METHOD, params)["result"]


def test_off_unless_it_is_asked_for(serve: Serve) -> None:
    """Not offered; asked all the same, nothing."""
    served, capabilities = start(serve, on=False)
    assert "completionProvider" not in capabilities
    assert menu(served, Document(served.client, "x = ‸\n")) == {"isIncomplete": True, "items": []}


def test_offered_from_the_start(serve: Serve) -> None:
    _, capabilities = start(serve, on=True)
    assert "." in capabilities["completionProvider"]["triggerCharacters"]
    assert capabilities["inlineCompletionProvider"] == {}


def test_registered_and_taken_back_while_running(serve: Serve) -> None:
    served, capabilities = start(serve, on=False, dynamic=True)
    assert "completionProvider" not in capabilities
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"completion": ON}})
    served.settle()
    method, params = served.client.asked[-1]
    assert method == "client/registerCapability"
    assert params["registrations"][0]["method"] == METHOD
    served.script(Rule(text="value"))
    assert len(menu(served, Document(served.client, "x = ‸\n"))["items"]) == 1
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"completion": {"fallbackCompletion": False}}})
    served.settle()
    assert served.client.asked[-1][0] == "client/unregisterCapability"


def test_one_entry_behind_all_others(offering: Served) -> None:
    """It begins with the word before the cursor, since menus compare with that; it is never chosen by itself."""
    offering.script(Rule(text="dings)\nreturn 1"))
    document = Document(offering.client, "def f():\n    total = len(rea‸\n")
    answer = menu(offering, document)
    assert answer["isIncomplete"] is True
    (entry,) = answer["items"]
    assert entry["label"].startswith("readings")
    assert entry["filterText"].startswith("readings")
    assert entry["preselect"] is False
    assert entry["sortText"] == "\U0010ffff"
    assert entry["insertTextFormat"] == 1
    start, end = entry["textEdit"]["range"]["start"], entry["textEdit"]["range"]["end"]
    assert (start, end) == (document.position(document.cursor - 3), document.position(document.cursor))
    assert entry["textEdit"]["newText"].startswith("readings")
    assert entry["command"]["command"] == "dg.server.accepted"


def test_nothing_to_say(offering: Served) -> None:
    offering.script(Rule(text="  "))
    assert menu(offering, Document(offering.client, "x = ‸\n"))["items"] == []
    assert menu(offering, Document(offering.client, "KEY = ‸\n", uri="file:///w/.env"))["items"] == []


@pytest.mark.parametrize("params", [None, {}, {"textDocument": {}}, {"textDocument": {"uri": 3}, "position": 4}, []])
def test_broken_params_open_no_pop_up(offering: Served, params: Any) -> None:
    assert offering.client.request(METHOD, params)["result"] == {"isIncomplete": True, "items": []}


def test_superseded_and_cancelled_like_any_request(offering: Served) -> None:
    offering.script(Rule(text="value", hold=True))
    document = Document(offering.client, "x = ‸\n")
    params = {"textDocument": {"uri": document.uri}, "position": document.position(document.cursor)}
    first, second = (offering.client.begin(METHOD, params) for _ in range(2))
    assert offering.client.wait(first)["error"]["code"] == -32800
    offering.client.cancel(second)
    assert offering.client.wait(second)["error"]["code"] == -32800
    offering.engine.let_go()
