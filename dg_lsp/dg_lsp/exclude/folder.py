"""Folders as the rules see them: the ignore files in each, read again when they change."""

from __future__ import annotations

import logging
import os
import re
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathspec.pattern import Pattern

log = logging.getLogger(__name__)

GIT: Final = (".gitignore",)
ASSISTANTS: Final = (".aiexclude", ".cursorignore", ".codeiumignore", ".continueignore")
"""Files by which people keep theirs from completion tools."""

FRESH_SECONDS: Final = 1.0
_LARGEST: Final = 1 << 20
_FOLDERS: Final = 4096
_STARS: Final = 4
"""In one part of a path: the regular expressions that patterns become take time to this power in a name's length."""

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern. `by_name`: it has no slash in it, and so is compared with a name in any folder instead of a path.

    `inside`: it ends with `/**`, which names everything in a folder and not the folder itself.
    """

    line: str
    pattern: Pattern
    by_name: bool
    inside: bool
    folders_only: bool

    def names(self, path: str) -> bool:
        """Whether it names this path (a folder's ends with a slash) itself: what names a folder above is that folder's affair."""
        if self.folders_only and not path.endswith("/"):
            return False
        target = path[path.rfind("/", 0, -1) + 1 :] if self.by_name else path.rstrip("/") if self.inside else path
        found: Any = self.pattern.match_file(target)
        if found is None:
            return False
        ends = [found.match.end(group) for group in found.match.re.groupindex if found.match[group] is not None]
        return all(end == len(target) for end in ends)  # pathspec's only groups mark the slash behind a folder


@dataclass(eq=False, frozen=True)
class Rules:
    """One ignore file's patterns; the same object as long as the file is the same."""

    file: str
    base: str
    """The folder that its patterns start from."""
    rules: list[Rule]
    """The last one first: it decides."""
    stamp: Stamp

    def verdict(self, path: str) -> str | None:
        """The pattern that decides about a path below `base`: as it is written, `!…` when it keeps the path; None when none does."""
        return next((rule.line for rule in self.rules if rule.names(path)), None)

    def excluding(self, path: str) -> str | None:
        """The pattern that excludes a file below `base`, or a folder that it lies in."""
        ends = [index + 1 for index, sign in enumerate(path) if sign == "/"]
        verdicts = (self.verdict(path[:end]) for end in [*ends, len(path)])
        return next((pattern for pattern in verdicts if pattern is not None and not pattern.startswith("!")), None)


@dataclass(eq=False)
class Folder:
    """What a folder held when it was last looked at."""

    looked: float
    has_git: bool = False
    rules: dict[str, Rules] = field(default_factory=dict)


class Folders:
    """Looks at each folder at most once a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._folders: dict[str, Folder] = {}
        self._others: dict[str, Rules] = {}
        """Rule files that lie elsewhere than where they start from, by file and base."""

    def at(self, path: str) -> Folder:
        """The folder as it is now, or was a moment ago."""
        now = self._clock()
        known = self._folders.get(path)
        if known is not None and now - known.looked < FRESH_SECONDS:
            return known
        fresh = Folder(now, os.path.lexists(os.path.join(path, ".git")))  # noqa: PTH118 - strings: this runs for every key
        for name in (*GIT, *ASSISTANTS):
            rules = read(os.path.join(path, name), path, known.rules.get(name) if known else None)  # noqa: PTH118 - as above
            if rules is not None:
                fresh.rules[name] = rules
        if len(self._folders) >= _FOLDERS:
            self._folders.clear()
        self._folders[path] = fresh
        return fresh

    def git_info(self, repository: str) -> list[Rules]:
        """What holds in a whole repository beside its own files: the user's patterns, then the repository's private ones."""
        git = _git_folder(repository)
        found = []
        for file in (_users_patterns(), git / "info" / "exclude"):
            key = f"{file}\0{repository}"
            rules = read(os.fspath(file), repository, self._others.get(key))
            if rules is not None:
                self._others[key] = rules
                found.append(rules)
        return found


def read(file: str, base: str, known: Rules | None) -> Rules | None:
    """The rules of a file, `known` when it has not changed; None when there is no such file."""
    try:
        about = os.stat(file)  # noqa: PTH116 - strings: this runs for every key
        stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
        if known is not None and known.stamp == stamp:
            return known
        if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
            return None
        lines = Path(file).read_text("utf-8", "surrogateescape").splitlines()
    except (OSError, ValueError):
        return None
    return compiled(lines, file, base, stamp)


def compiled(lines: list[str], file: str, base: str, stamp: Stamp = (0, 0, 0)) -> Rules:
    """The rules that patterns make; those that mean nothing are left out, with a line in the log."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - 40 ms that `initialize` does not wait for

    rules = []
    for line in filter(None, map(_bounded, lines)):
        written = line.strip()
        inside = written.rstrip("/").endswith("/**")
        try:
            (pattern,) = GitIgnoreSpec.from_lines([written.rstrip("/") if inside else line]).patterns
        except (ValueError, re.error):
            log.warning("A pattern in %s means nothing and is passed over.", file)
            continue
        if pattern.include is not None:
            by_name = "/" not in written.removeprefix("!").rstrip("/")
            rules.append(Rule(written, pattern, by_name, inside, written.endswith("/")))
    return Rules(file, base, rules[::-1], stamp)


def _bounded(line: str) -> str:
    """The pattern, with few enough stars that no name takes long to compare: what has more names more files, or keeps none."""
    parts = [part.split("*") for part in line.split("/")]
    if all(len(part) <= _STARS + 1 for part in parts) or line.startswith("#"):
        return line
    if line.startswith("!"):
        return ""
    return "/".join("*".join([*part[:_STARS], part[-1]] if len(part) > _STARS else part) for part in parts)


def _git_folder(repository: str) -> Path:
    """`.git` itself, or for work trees and submodules the folder that the file `.git` points to (gitrepository-layout(5))."""
    git = Path(repository, ".git")
    if not git.is_file():
        return git
    try:
        pointed = Path(repository, git.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip())
        common = pointed / "commondir"
        return pointed / common.read_text("utf-8", "surrogateescape").strip() if common.is_file() else pointed
    except (OSError, ValueError):
        return git


def _users_patterns() -> Path:
    """Where git keeps a user's own patterns unless it is told otherwise (gitignore(5))."""
    configuration = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - never raises
    return Path(configuration, "git", "ignore")
