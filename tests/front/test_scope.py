"""What is completed before anybody sets anything, what users set instead, and pauses."""

from __future__ import annotations

import pytest

from dg_lsp.requests.pause import Pause
from dg_lsp.requests.scope import scheme_is_on, trigger_for
from dg_lsp.settings.completion import CompletionSettings
from dg_lsp.settings.read import read


def settings(**completion: object) -> CompletionSettings:
    found, faults = read({"completion": completion})
    assert not faults.values
    assert not faults.names
    return found.completion


@pytest.mark.parametrize(
    "language", ["markdown", "plaintext", "text", "git-commit", "gitcommit", "scminput", "restructuredtext"]
)
def test_prose_is_completed_by_hand(language: str) -> None:
    assert trigger_for(language, settings()) == "manual"
    assert trigger_for(language, settings(languages={language: True})) == "automatic"
    assert trigger_for(language, settings(languages={language: "off"})) == "off"
    assert trigger_for(language, settings(languages={"*": "automatic"})) == "manual"


def test_all_that_are_not_named() -> None:
    some = settings(languages={"*": False, "python": "automatic", "go": "manual"})
    assert [trigger_for(language, some) for language in ("python", "go", "rust", "")] == ["automatic", "manual", "off", "off"]
    assert trigger_for("rust", settings()) == "automatic"


@pytest.mark.parametrize(
    ("uri", "on"),
    [
        ("file:///a.py", True),
        ("/a.py", True),
        ("untitled:Untitled-1", True),
        ("vscode-notebook-cell:/w/n.ipynb#W0", True),
        ("vscode-remote://host/w/a.py", True),
        ("zipfile:///a.zip::a.py", True),
        ("git:/w/a.py?HEAD", False),
        ("GIT:/w/a.py?HEAD", False),
        ("output:extension-output", False),
        ("vscode-scm:git/scm0/input", False),
        ("fugitive:///w/.git//0/a.py", False),
        ("term://~//1:bash", False),
    ],
)
def test_schemes(uri: str, on: bool) -> None:
    assert scheme_is_on(uri, settings()) is on
    scheme = uri.partition(":")[0].lower() if ":" in uri else "file"
    assert scheme_is_on(uri, settings(schemes={scheme: not on})) is not on


def test_a_pause_ends_by_itself() -> None:
    now = [100.0]
    pause = Pause(lambda: now[0])
    assert pause.reason is None
    pause.begin(2)
    assert pause.reason == "Completion is paused for 2 more min."
    now[0] += 61
    assert pause.reason == "Completion is paused for 1 more min."
    now[0] += 60
    assert pause.reason is None
    pause.begin(5)
    pause.begin(0)
    assert pause.minutes_left == 0
