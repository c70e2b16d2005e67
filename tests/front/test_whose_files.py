"""Exclusion, languages, folders and pauses as an editor meets them: over stdio, with the reason in the status."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from dg_bench.drive.client import Client, plain_params
from dg_bench.drive.document import AUTOMATIC, INVOKED, Document
from dg_bench.drive.processes import until
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve, Served


def status(client: Client, document: Document) -> Any:
    return client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]


def configure(served: Served, tree: dict[str, Any]) -> None:
    """As pushed; our engine's socket is in the options."""
    served.client.notify("workspace/didChangeConfiguration", {"settings": {"dgLsp": {"completion": {}, **tree}}})
    served.settle()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "w" / ".git").mkdir(parents=True)
    return tmp_path / "w"


def opened(served: Served, file: Path, text: str = "x = ‸\n", language: str = "python") -> Document:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace("‸", ""), encoding="utf-8")
    return Document(served.client, text, uri=file.as_uri(), language=language)


def test_the_status_names_the_pattern(served: Served, repository: Path) -> None:
    served.script(Rule(text="value"))
    (repository / ".cursorignore").write_text("private/\n", encoding="utf-8")
    document = opened(served, repository / "private" / "a.py")
    jobs = len(served.engine.jobs)
    assert document.items() == []
    report = status(served.client, document)["document"]
    assert report["on"] is False
    assert report["reason"] == f"The file is excluded by `private/` in {repository / '.cursorignore'}."
    assert len(served.engine.jobs) == jobs


def test_ignored_files_by_setting_and_seen_again_when_rules_change(served: Served, repository: Path) -> None:
    """By default what git ignores is completed; told to, the server follows the file as it changes."""
    served.script(Rule(text="value"))
    rules = repository / ".gitignore"
    rules.write_text("a.py\n", encoding="utf-8")
    document = opened(served, repository / "a.py")
    assert len(document.items()) == 1
    configure(served, {"exclude": {"gitignored": "both"}})
    assert document.items() == []
    assert "`a.py`" in status(served.client, document)["document"]["reason"]
    rules.write_text("b.py\n", encoding="utf-8")
    os.utime(rules, ns=(time.time_ns() + 10**9,) * 2)
    assert until(lambda: status(served.client, document)["document"]["on"])
    document.type("y")
    assert len(document.items()) == 1
    configure(served, {})


def test_the_users_globs_take_effect_at_once(served: Served, repository: Path) -> None:
    served.script(Rule(text="value"))
    document = opened(served, repository / "fixtures" / "a.py")
    assert len(document.items()) == 1
    configure(served, {"exclude": {"globs": ["**/fixtures/*"]}})
    assert document.items() == []
    assert "dgLsp.exclude.globs" in status(served.client, document)["document"]["reason"]
    configure(served, {})


def test_prose_is_completed_by_hand(served: Served) -> None:
    """Automatic requests come back empty, with what to set; `languages` decides otherwise."""
    served.script(Rule(text="words"))
    document = Document(served.client, "Some ‸\n", uri="file:///w/a.md", language="markdown")
    assert document.items(AUTOMATIC) == []
    report = status(served.client, document)["document"]
    assert report["on"] is True
    assert "dgLsp.completion.languages" in report["reason"]
    assert len(document.items(INVOKED)) == 1
    configure(served, {"completion": {"languages": {"markdown": "automatic"}}})
    document.type("a")
    assert len(document.items(AUTOMATIC)) == 1
    configure(served, {"completion": {"languages": {"markdown": False}}})
    assert document.items(INVOKED) == []
    assert status(served.client, document)["document"]["on"] is False
    configure(served, {})


def test_manual_and_off(served: Served) -> None:
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    configure(served, {"completion": {"trigger": "manual"}})
    assert document.items(AUTOMATIC) == []
    assert len(document.items(INVOKED)) == 1
    configure(served, {"completion": {"enabled": False}})
    assert document.items(INVOKED) == []
    configure(served, {})


def test_a_single_line(served: Served) -> None:
    """Neither asked for nor shown."""
    served.script(Rule(text="a = 1\n    b = 2"))
    configure(served, {"completion": {"singleLine": True}})
    (item,) = Document(served.client, "def f():\n    ‸\n").items()
    assert item["insertText"] == "a = 1"
    assert served.engine.jobs[-1].max_lines == 1
    configure(served, {})


def test_a_debounce_of_the_servers_own(served: Served) -> None:
    """What is superseded within it never reaches the engine; what is asked by hand does not wait for it."""
    served.script(Rule(text="value"))
    configure(served, {"completion": {"debounceMs": 200}})
    document, jobs = Document(served.client, "x = ‸\n"), len(served.engine.jobs)
    waiting = []
    for letter in "abc":
        document.type(letter)
        waiting.append(document.begin(AUTOMATIC))
    assert [served.client.wait(one).get("error", {}).get("code") for one in waiting] == [-32800, -32800, None]
    assert len(served.engine.jobs) == jobs + 1
    started = time.monotonic()
    configure(served, {"completion": {"debounceMs": 10_000}})
    document.type("d")
    document.items(INVOKED)
    assert time.monotonic() - started < 10
    configure(served, {})


def test_a_pause(served: Served) -> None:
    """Silences everything; the status says so and names the command that ends it."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")

    def pause(*arguments: object) -> Any:
        params = {"command": "dg.server.pause", "arguments": list(arguments)}
        return served.client.request("workspace/executeCommand", params)["result"]

    assert pause(2) == {"minutes": 2.0}
    assert document.items(INVOKED) == []
    report = status(served.client, document)
    assert (report["kind"], report["command"]) == ("Inactive", "dg.server.pause")
    assert "paused for 2 more min" in report["document"]["reason"]
    assert pause() == {"minutes": 0.0}
    assert len(document.items(INVOKED)) == 1
    assert pause() == {"minutes": 30.0}
    assert pause("soon") == {"minutes": 0.0}
    assert pause({"minutes": -3}) == {"minutes": 0.0}
    assert status(served.client, document)["kind"] == "Normal"


def test_each_folder_has_its_settings(serve: Serve, tmp_path: Path) -> None:
    """Asked for with the folder's URI; folders that are added later as well, and those that go are forgotten."""
    served = serve(initialize=False)
    one, two = ((tmp_path / name).as_uri() for name in ("one", "two"))
    ours = {"engine": {"socket": str(served.engine.path)}, "completion": {"speculative": False}}
    quiet = {"completion": {"enabled": False}}

    def answer(params: Any) -> list[Any]:
        return [quiet if item.get("scopeUri") in {one, two} else {} for item in params["items"]]

    served.client.reply["workspace/configuration"] = answer
    params = plain_params(options=ours)
    served.client.initialize({**params, "workspaceFolders": [{"uri": one, "name": "one"}]})
    served.settle()
    served.script(Rule(text="value"))
    assert served.client.asked[-1] == (
        "workspace/configuration",
        {"items": [{"section": "dgLsp"}, {"scopeUri": one, "section": "dgLsp"}]},
    )
    inside, other = Document(served.client, "x = ‸", uri=f"{one}/a.py"), Document(served.client, "x = ‸", uri=f"{two}/a.py")
    assert inside.items() == []
    assert len(other.items()) == 1
    pulls = len(served.client.asked)
    event = {"added": [{"uri": two, "name": "two"}], "removed": [{"uri": one, "name": "one"}]}
    served.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    served.client.wait_for(lambda: len(served.client.asked) > pulls, "the pull")
    served.settle()
    assert served.client.asked[-1] == ("workspace/configuration", {"items": [{"scopeUri": two, "section": "dgLsp"}]})
    other.type("y")
    assert other.items() == []
    assert len(inside.items()) == 1


def test_a_folder_that_would_send_code_elsewhere_is_refused(serve: Serve, tmp_path: Path) -> None:
    """Its socket is not connected to, and the user is told once."""
    served, elsewhere = serve(initialize=False), serve(initialize=False)
    folder = (tmp_path / "cloned").as_uri()
    theirs = {"engine": {"socket": str(elsewhere.engine.path)}, "completion": {"maxLines": 2}}
    served.client.reply["workspace/configuration"] = lambda params: [
        theirs if i.get("scopeUri") else {} for i in params["items"]
    ]
    ours = {"engine": {"socket": str(served.engine.path)}, "completion": {"speculative": False}}
    served.client.initialize({**plain_params(options=ours), "workspaceFolders": [{"uri": folder, "name": ""}]})
    served.settle()
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸", uri=f"{folder}/a.py")
    assert len(document.items(INVOKED)) == 1
    assert served.engine.jobs[-1].max_lines == 2
    assert elsewhere.engine.connections == 0
    served.client.notify("workspace/didChangeConfiguration", {"settings": None})
    served.settle()
    (shown,) = served.client.notified("window/showMessage")
    assert "dgLsp.engine.socket holds for the whole machine" in shown["message"]


def test_the_environment_chooses_the_engine(serve: Serve, folder: Path, environment: dict[str, str]) -> None:
    """It outranks what the editor says."""
    other = serve(initialize=False)
    chosen = {**environment, "DG_LSP_ENGINE_SOCKET": str(other.engine.path)}
    other.script(Rule(text="from the environment"))
    with Client(environment=chosen, errors=folder / "environment.log") as client:
        client.initialize(options={"engine": {"socket": "/nowhere"}})
        assert [item["insertText"] for item in Document(client, "x = ‸\n").items()] == ["from the environment"]


def test_excluded_text_reaches_no_engine(served: Served, repository: Path) -> None:
    """Whatever is done in it: nothing that the engine has ever got quotes it."""
    served.script(Rule(text="value"))
    (repository / ".aiexclude").write_text("hidden/*\n", encoding="utf-8")
    configure(served, {"completion": {"speculative": True}, "exclude": {"globs": ["*.secretive"]}})
    word = "unmistakable_word"
    hidden = [
        opened(served, repository / "hidden" / "a.py", f"{word} = ‸\n"),
        opened(served, repository / ".env", f"{word} = ‸\n"),
        opened(served, repository / "b.secretive", f"{word} = ‸\n"),
        Document(served.client, f"{word} = ‸\n", uri="git:/w/a.py?HEAD"),
    ]
    plain = opened(served, repository / "plain.py")
    for document in hidden:
        for trigger in (AUTOMATIC, INVOKED):
            document.type("z")
            assert document.items(trigger) == []
    assert len(plain.items()) == 1
    assert word not in repr(served.engine.jobs)
    configure(served, {})
