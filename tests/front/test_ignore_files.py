"""Ignore files as git reads them, and as completion tools do: what matches, where it starts, when it is read again."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dg_lsp.documents.text import Text
from dg_lsp.exclude.folder import Folders, compiled
from dg_lsp.exclude.generated import looks_generated
from dg_lsp.exclude.judge import FREE, Exclusions
from dg_lsp.settings.model import ExcludeSettings


class Clock:
    """Goes on only when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one; the user has no patterns of their own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "repository"
    (root / ".git" / "info").mkdir(parents=True)
    return root


def write(file: Path, *lines: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")


def ignored(root: Path, name: str, exclusions: Exclusions | None = None) -> bool:
    return bool((exclusions or Exclusions()).judge((root / name).as_uri(), ExcludeSettings()).reading)


@pytest.mark.parametrize(
    ("patterns", "names", "kept"),
    [
        (["*.log"], ["a.log", "deep/down/b.log"], ["log.py", "a.log.py"]),
        (["build/"], ["build/a.py", "deep/build/x/a.py"], ["build.py", "building/a.py"]),
        (["/build"], ["build/a.py"], ["deep/build/a.py"]),
        (["*.log", "!keep.log"], ["a.log", "deep/a.log"], ["keep.log", "deep/keep.log"]),
        (["out/", "!out/keep.py"], ["out/keep.py"], ["keep.py"]),
        (["out/*", "!out/keep.py"], ["out/a.py"], ["out/keep.py"]),
        (["docs/**/a.py"], ["docs/a.py", "docs/x/y/a.py"], ["a.py", "src/docs/b.py"]),
        (["# a.py", "", "\\#a.py"], ["#a.py"], ["a.py"]),
        (["a?c.py", "[xy].py"], ["abc.py", "x.py"], ["a/c.py", "z.py"]),
        (["trailing.py   "], ["trailing.py"], []),
        (["*"], ["a.py", "x/y.py"], []),
        (["*", "!*.py", "!*/"], ["a.txt", "x/a.txt"], ["a.py", "x/y.py"]),
        (["a*a*a*a*a*a*b.py"], ["aXaXaXaXaXaXb.py"], ["b.py"]),
        (["*.py", "!a*a*a*a*a*a*b.py"], ["aaaaaaab.py"], ["a.txt"]),
    ],
)
def test_patterns(repository: Path, patterns: list[str], names: list[str], kept: list[str]) -> None:
    write(repository / ".gitignore", *patterns)
    assert [name for name in names if not ignored(repository, name)] == []
    assert [name for name in kept if ignored(repository, name)] == []


def test_inner_files_outrank_outer_ones(repository: Path) -> None:
    """But nothing is kept inside a folder that is ignored."""
    write(repository / ".gitignore", "*.log", "vendor/")
    write(repository / "deep" / ".gitignore", "!a.log", "b.py")
    write(repository / "vendor" / ".gitignore", "!*")
    for name, expected in {"a.log": True, "deep/a.log": False, "deep/b.py": True, "b.py": False, "vendor/a.py": True}.items():
        assert ignored(repository, name) is expected, name


def test_the_repositorys_own_and_the_users_patterns(repository: Path) -> None:
    """`.git/info/exclude` outranks the user's, and is outranked by `.gitignore`."""
    write(repository.parent / "config" / "git" / "ignore", "*.one", "*.two", "*.three")
    write(repository / ".git" / "info" / "exclude", "!*.two", "*.four")
    write(repository / ".gitignore", "!*.three", "!*.four")
    assert [ignored(repository, f"a.{number}") for number in ("one", "two", "three", "four")] == [True, False, False, False]


def test_a_work_tree_has_the_main_repositorys_patterns(repository: Path) -> None:
    """There `.git` is a file (gitrepository-layout(5))."""
    tree = repository.parent / "tree"
    administration = repository / ".git" / "worktrees" / "tree"
    write(administration / "commondir", "../..")
    write(repository / ".git" / "info" / "exclude", "*.private")
    write(tree / ".git", f"gitdir: {administration}")
    assert ignored(tree, "a.private")
    assert not ignored(tree, "a.py")


def test_what_lies_above_the_repository_does_not_count(repository: Path) -> None:
    write(repository.parent / ".gitignore", "*")
    assert not ignored(repository, "a.py")


def test_a_workspace_without_a_repository(tmp_path: Path) -> None:
    exclusions = Exclusions()
    exclusions.set_workspaces([(tmp_path / "w").as_uri()])
    write(tmp_path / "w" / ".gitignore", "a.py")
    write(tmp_path / ".gitignore", "b.py")
    assert ignored(tmp_path / "w", "deep/a.py", exclusions)
    assert not ignored(tmp_path / "w", "b.py", exclusions)


@pytest.mark.parametrize("name", [".aiexclude", ".cursorignore", ".codeiumignore", ".continueignore"])
def test_files_for_completion_tools(repository: Path, name: str) -> None:
    """Neither completed nor read, also where git has another opinion."""
    write(repository / "deep" / name, "secret/*", "!secret/ok.py")
    write(repository / ".gitignore", "!secret/*")
    verdict = Exclusions().judge((repository / "deep" / "secret" / "a.py").as_uri(), ExcludeSettings())
    assert f"`secret/*` in {repository / 'deep' / name}" in verdict.completing
    assert verdict.reading == verdict.completing
    assert Exclusions().judge((repository / "deep" / "secret" / "ok.py").as_uri(), ExcludeSettings()) == FREE


def test_git_ignored_files_are_completed_unless_the_user_says_otherwise(repository: Path) -> None:
    write(repository / ".gitignore", "a.py")
    uri = (repository / "a.py").as_uri()
    verdict = Exclusions().judge(uri, ExcludeSettings())
    assert verdict.completing == ""
    assert verdict.reading == f"Git ignores the file: `a.py` in {repository / '.gitignore'}."
    both = Exclusions().judge(uri, ExcludeSettings(gitignored="both"))
    assert both.completing == both.reading == verdict.reading


def test_seen_again_when_it_changes(repository: Path, clock: Clock) -> None:
    """Within a second nothing is looked at; then the file is read again if it is another one."""
    exclusions = Exclusions(clock)
    rules = repository / ".gitignore"
    write(rules, "a.py")
    assert ignored(repository, "a.py", exclusions)
    write(rules, "b.py")
    os.utime(rules, ns=(time.time_ns() + 10**9,) * 2)
    assert ignored(repository, "a.py", exclusions)
    clock.now += 1.5
    assert not ignored(repository, "a.py", exclusions)
    assert ignored(repository, "b.py", exclusions)
    rules.unlink()
    clock.now += 1.5
    assert not ignored(repository, "b.py", exclusions)


def test_a_file_that_did_not_change_is_not_read_again(repository: Path, clock: Clock) -> None:
    folders = Folders(clock)
    write(repository / ".gitignore", "a.py")
    first = folders.at(str(repository)).rules[".gitignore"]
    clock.now += 1.5
    assert folders.at(str(repository)).rules[".gitignore"] is first


@pytest.mark.parametrize("name", [".env", "ignored.py"])
def test_a_link_is_judged_by_both_names(repository: Path, name: str) -> None:
    """A harmless name does not open what another one protects, and the other way round."""
    write(repository / ".gitignore", "ignored.py")
    write(repository / name, "KEY = 1")
    link = repository / "harmless.py"
    link.symlink_to(repository / name)
    assert Exclusions().judge(link.as_uri(), ExcludeSettings()).reading
    write(repository / "plain.py", "x = 1")
    (repository / f"link{name}").symlink_to(repository / "plain.py")
    (repository / f"link{name}").replace(repository / name)
    assert Exclusions().judge((repository / name).as_uri(), ExcludeSettings()).reading


def test_the_users_globs(tmp_path: Path) -> None:
    """From the workspace folder on, or from the root where a file lies in none; other schemes by their path."""
    exclusions = Exclusions()
    exclusions.set_workspaces([(tmp_path / "w").as_uri()])
    settings = ExcludeSettings(globs=["/private/", "*.gen.py", "!ok.gen.py", "[z-a]"])
    named = {
        (tmp_path / "w" / "private" / "a.py").as_uri(): True,
        (tmp_path / "w" / "deep" / "private" / "a.py").as_uri(): False,
        (tmp_path / "w" / "a.gen.py").as_uri(): True,
        (tmp_path / "w" / "ok.gen.py").as_uri(): False,
        (tmp_path / "elsewhere" / "a.gen.py").as_uri(): True,
        "untitled:x.gen.py": True,
        "vscode-remote://h/w/a.gen.py": True,
        "untitled:Untitled-1": False,
    }
    for uri, excluded in named.items():
        verdict = exclusions.judge(uri, settings)
        assert ("dgLsp.exclude.globs" in verdict.completing) is excluded, uri
        assert verdict.reading == verdict.completing


def test_secrets_can_be_allowed() -> None:
    assert Exclusions().judge("file:///w/.env", ExcludeSettings()).completing
    assert Exclusions().judge("file:///w/.env", ExcludeSettings(secrets=False)) == FREE


def test_a_hostile_pattern_takes_no_time() -> None:
    """The regular expression of `a*a*a*…` on a long name would take hours; broadened, it still excludes."""
    rules = compiled(["a*" * 40 + "b"], "x", "")
    started = time.process_time()
    assert rules.verdict("a" * 250) is None
    assert rules.verdict("a" * 249 + "b") is not None
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("path", "text", "generated"),
    [
        ("/w/jquery.min.js", "x", True),
        ("/w/messages_pb2.py", "x", True),
        ("/w/a.js", "x" * 9000, True),
        ("/w/a.js", "x" * 900 + "\n" * 50, False),
        ("/w/a.py", "value = 1\n" * 5000, False),
        ("/w/data.py", "x = '" + "y" * 9000 + "'\n" + "a = 1\n" * 100, False),
    ],
)
def test_generated(path: str, text: str, generated: bool) -> None:
    assert looks_generated(path, Text.of(text)) is generated
