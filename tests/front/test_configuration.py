"""Settings that take effect while the server runs, and the status that shows them."""

from __future__ import annotations

from dg_bench.drive.document import AUTOMATIC, INVOKED, Document
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Serve, Served


def push(served: Served, tree: object) -> None:
    """The editor's configuration changed."""
    served.client.notify("workspace/didChangeConfiguration", {"settings": tree})
    served.settle()


def test_pushed(served: Served) -> None:
    """Off and on, with and without our section's name around it; a shown suggestion does not survive off."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    assert len(document.items()) == 1
    push(served, {"dgLsp": {"completion": {"enabled": False}}})
    assert document.items() == []
    report = served.client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert report["kind"] == "Inactive"
    assert "switched off" in report["document"]["reason"]
    push(served, {"completion": {"enabled": True, "maxLines": 2, "trigger": "manual"}})
    assert document.items(AUTOMATIC) == []
    assert len(document.items(INVOKED)) == 1
    assert served.engine.jobs[-1].max_lines == 2
    push(served, {"dgLsp": {"completion": {"enabled": True}}})


def test_pulled_when_nothing_is_pushed(serve: Serve) -> None:
    """`settings: null` means: ask. The answer's layer replaces the one before."""
    served = serve()
    tree: dict[str, object] = {"completion": {"enabled": False}}
    served.client.reply["workspace/configuration"] = lambda params: [tree for _ in params["items"]]
    pulls = len(served.client.asked)
    served.client.notify("workspace/didChangeConfiguration", {"settings": None})
    served.client.wait_for(lambda: len(served.client.asked) > pulls, "the pull")
    served.settle()
    assert served.client.asked[-1] == ("workspace/configuration", {"items": [{"section": "dgLsp"}]})
    document = Document(served.client, "x = ‸\n")
    assert document.items() == []
    tree.clear()
    served.client.notify("workspace/didChangeConfiguration", {"settings": {}})
    served.client.wait_for(lambda: len(served.client.asked) > pulls + 1, "the pull")
    served.settle()
    assert len(document.items()) == 1


def test_another_engine(serve: Serve) -> None:
    """A changed socket is connected to, the old one left."""
    first, second = serve(Script(rules=[Rule(text="first")])), serve(Script(rules=[Rule(text="second")]))
    document = Document(first.client, "x = ‸\n")
    assert [item["insertText"] for item in document.items()] == ["first"]
    push(first, {"engine": {"socket": str(second.engine.path)}})
    document.type("y")
    document.edit(0, 0, "# \n")
    assert [item["insertText"] for item in document.items()] == ["second"]


def test_a_bad_value_is_logged_once_and_changes_nothing(served: Served) -> None:
    """The log and one notice name it."""
    for _ in range(2):
        push(served, {"completion": {"maxLines": "many"}})
    assert served.log.read_text().count("dgLsp.completion.maxLines") == 1
    (notice,) = served.client.notified("window/showMessage")
    assert notice["type"] == 3
    assert "dgLsp.completion.maxLines" in notice["message"]
    push(served, {"completion": {"enabled": True}})


def test_what_is_not_confident_is_not_shown(served: Served) -> None:
    """By the threshold that the user sets."""
    served.script(Rule(text="value", probability=0.4))
    push(served, {"completion": {"showThreshold": 0.5}})
    document = Document(served.client, "x = ‸\n")
    assert document.items() == []
    report = served.client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert "not confident enough: 40%, 50% is asked for" in report["document"]["reason"]
    assert "not confident" not in served.log.read_text(encoding="utf-8")  # at level warning: it is too ordinary for that
    push(served, {"completion": {"showThreshold": 0.3}})
    assert len(document.items()) == 1
    push(served, {"completion": {"enabled": True}})


def test_drafts_for_clients_that_opt_in(serve: Serve) -> None:
    """One a pass, with place and version."""
    served = serve(Script(rules=[Rule(text="value", passes=3)]), options={"drafts": True})
    document = Document(served.client, "x = ‸\n")
    document.items()
    drafts = served.client.notified("dg/draft")
    assert [(draft["pass"], draft["cap"]) for draft in drafts] == [(1, 3), (2, 3), (3, 3)]
    assert drafts[0] | {"pass": 0} == {
        "uri": document.uri,
        "version": 1,
        "position": {"line": 0, "character": 4},
        "text": "value",
        "confidence": [[5, 0.9]],
        "pass": 0,
        "cap": 3,
    }


def test_a_configuration_that_is_taken_away(serve: Serve) -> None:
    """Null, or an empty section, is not the old one: defaults hold again."""
    served = serve()
    document = Document(served.client, "x = ‸\n")
    push(served, {"dgLsp": {"completion": {"enabled": False}}})
    assert document.items() == []
    push(served, {"dgLsp": {}})
    assert len(document.items()) == 1
    answers: list[object] = [{"completion": {"enabled": False}}]
    served.client.reply["workspace/configuration"] = lambda _: answers
    for value, shown in (({"completion": {"enabled": False}}, 0), (None, 1)):
        answers[0] = value
        pulls = len(served.client.asked)
        served.client.notify("workspace/didChangeConfiguration", {"settings": None})
        served.client.wait_for(lambda before=pulls: len(served.client.asked) > before, "the pull")
        served.settle()
        document.type("y")
        assert len(document.items()) == shown
