"""Whether ignore files name a file: git's rules (gitignore(5)), for git's files and for those of completion tools."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dg_lsp.exclude.folder import ASSISTANTS, GIT, Folders, Rules


@dataclass(frozen=True, slots=True)
class Match:
    """The pattern that names a file, and where it stands."""

    pattern: str
    file: str

    def __str__(self) -> str:
        return f"`{self.pattern}` in {self.file}"


class IgnoreFiles:
    """Judges paths of files, absolute and with slashes."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    def by_git(self, path: str, workspace: str | None) -> Match | None:
        """What makes git ignore the file; in a workspace that is no repository its `.gitignore` files count too."""
        repository = next((folder for folder in _above(path) if self._folders.at(folder).has_git), None)
        top = repository or workspace
        everywhere = self._folders.git_info(repository) if repository else []
        return self._match(path, top, GIT, everywhere)

    def by_assistants(self, path: str, workspace: str | None) -> Match | None:
        """What keeps the file from completion tools; the outermost of workspace and repository is where that begins."""
        tops = [folder for folder in _above(path) if folder == workspace or self._folders.at(folder).has_git]
        return self._match(path, min(tops, key=len, default=None), ASSISTANTS, [])

    def _match(self, path: str, top: str | None, names: Sequence[str], everywhere: list[Rules]) -> Match | None:
        """From the top down, folder by folder: in one that is ignored nothing can be kept again."""
        top = top or os.path.dirname(path)  # noqa: PTH120 - strings: this runs for every key
        levels = list(everywhere)
        for folder, below in _steps(path, top):
            found = self._folders.at(folder).rules
            levels += [found[name] for name in names if name in found]
            for rules in reversed(levels):
                pattern = rules.verdict(below[len(rules.base.rstrip("/")) + 1 :])
                if pattern is None:
                    continue
                if not pattern.startswith("!"):
                    return Match(pattern, rules.file)
                break
        return None


def _above(path: str) -> Iterator[str]:
    """The folders that a path lies in, the innermost first."""
    while (parent := os.path.dirname(path)) != path:  # noqa: PTH120 - strings: this runs for every key
        yield parent
        path = parent


def _steps(path: str, top: str) -> Iterator[tuple[str, str]]:
    """From `top` down to the path: a folder, and what lies in it on the way (folders end with a slash)."""
    folder = top
    parts = path[len(top.rstrip("/")) + 1 :].split("/")
    for number, part in enumerate(parts):
        below = f"{folder.rstrip('/')}/{part}"
        yield folder, below if number == len(parts) - 1 else f"{below}/"
        folder = below
