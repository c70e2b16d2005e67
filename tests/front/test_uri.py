"""Spellings of one document's URI."""

from __future__ import annotations

import pytest

from dg_lsp.documents.store import DocumentStore
from dg_lsp.documents.uri import key, path_of


@pytest.mark.parametrize(
    "spellings",
    [
        ["file:///w/a b.py", "file:///w/a%20b.py", "FILE:///w/a%20b.py", "file:/w/a%20b.py", "file://localhost/w/a%20b.py"],
        ["file:///w/%E6%97%A5.py", "file:///w/%e6%97%a5.py", "file:///w/日.py"],
        ["file:///c%3A/w/a.py", "file:///C:/w/a.py", "file:///c:/w/a.py", "C:\\w\\a.py", "file:///C:\\w\\a.py"],
        ["file://server/share/a.py", "file://SERVER/share/a.py"],
        ["file:///w/c%23.py", "file:///w/c#.py"],
        ["untitled:Untitled-1", "untitled:%55ntitled-1", "UNTITLED:Untitled-1"],
        ["vscode-notebook-cell:/w/n.ipynb#W0sZmlsZQ%3D%3D", "vscode-notebook-cell:/w/n.ipynb#W0sZmlsZQ%3d%3d"],
        ["vscode-remote://ssh-remote%2Bbox/w/a.py", "vscode-remote://ssh-remote%2bbox/w/a.py"],
        ["memfs:/日.py", "memfs:/%E6%97%A5.py"],
    ],
)
def test_spellings_of_one_document(spellings: list[str]) -> None:
    assert len({key(one) for one in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///w/a.py", "file:///w/A.py"),
        ("file://server/a.py", "file:///a.py"),
        ("vscode-notebook-cell:/n.ipynb#a", "vscode-notebook-cell:/n.ipynb#b"),
        ("memfs:/a%23b", "memfs:/a#b"),
        ("untitled:a", "file:///a"),
        ("git:/w/a.py?%7B%22ref%22%3A%22HEAD%22%7D", "git:/w/a.py?%7B%22ref%22%3A%22main%22%7D"),
    ],
)
def test_documents_that_are_two(one: str, other: str) -> None:
    assert key(one) != key(other)


@pytest.mark.parametrize("uri", ["", ":", "a", "file:", "file://", "%", "file:///%ff%zz", "x:\ud800", "file:///\ud800", "://"])
def test_whatever_comes_in_has_a_key(uri: str) -> None:
    assert isinstance(key(uri), str)
    assert key(key(uri)) == key(uri)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///w/a%20b.py", "/w/a b.py"),
        ("file://server/share/a.py", "/share/a.py"),
        ("file:///C%3A/w/.env", "/c:/w/.env"),
        ("untitled:Untitled-1", "Untitled-1"),
        ("vscode-notebook-cell:/w/n.ipynb#W0", "/w/n.ipynb"),
        ("vscode-remote://box/w/a.py?x=1", "w/a.py"),
    ],
)
def test_the_path_in_a_uri(uri: str, path: str) -> None:
    assert path_of(uri) == path


def test_the_store_knows_a_document_under_every_spelling() -> None:
    store = DocumentStore()
    store.open("file:///c%3A/w/a.py", "python", 1, "x")
    assert store.get("file:///C:/w/a.py") is store.get("file:///c%3a/w/a.py") is not None
    assert store.open("file:///C:/w/a.py", "python", 1, "y").uri == "file:///C:/w/a.py"
    assert len(store) == 1
    assert store.close("file:///c:/w/a.py") is not None
    assert len(store) == 0
