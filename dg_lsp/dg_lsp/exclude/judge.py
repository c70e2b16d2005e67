"""Whose files the model may see: one verdict a document, by its name and by the rules that hold where it lies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from dg_lsp.documents import uri as uris
from dg_lsp.exclude.folder import FRESH_SECONDS, Folders, Rules, compiled
from dg_lsp.exclude.ignored import IgnoreFiles
from dg_lsp.exclude.secrets import SENTENCE, looks_secret
from dg_lsp.settings.model import ExcludeSettings

_VERDICTS: Final = 4096


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a document is not completed, and why it is not read as context of others; empty: it is."""

    completing: str = ""
    reading: str = ""


FREE: Final = Verdict()


class Exclusions:
    """Judges documents by URI. A verdict is good for a second, then files are looked at again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ignored = IgnoreFiles(Folders(clock))
        self._workspaces: list[str] = []
        self._globs: dict[tuple[str, ...], Rules] = {}
        self._verdicts: dict[str, tuple[float, ExcludeSettings, Verdict]] = {}

    def set_workspaces(self, folders: Iterable[str]) -> None:
        """The workspace's folders, as URIs."""
        self._workspaces = [uris.path_of(folder).rstrip("/") for folder in folders]
        self._verdicts.clear()

    def workspace_of(self, uri: str) -> str | None:
        """The innermost workspace folder of a document, as a path."""
        return self._workspace(uris.path_of(uri))

    def judge(self, uri: str, settings: ExcludeSettings) -> Verdict:
        """The verdict on a document."""
        now = self._clock()
        known = self._verdicts.get(uri)
        if known is not None and now - known[0] < FRESH_SECONDS and known[1] is settings:
            return known[2]
        if len(self._verdicts) >= _VERDICTS:
            self._verdicts.clear()
        verdict = self._judge(uri, settings)
        self._verdicts[uri] = now, settings, verdict
        return verdict

    def _judge(self, uri: str, settings: ExcludeSettings) -> Verdict:
        reading = ""
        for path in _names(uri):
            if settings.secrets and looks_secret(path):
                return Verdict(SENTENCE, SENTENCE)
            workspace = self._workspace(path)
            if (pattern := self._by_globs(path, workspace, settings.globs)) is not None:
                sentence = f"The file is excluded by `{pattern}` in dgLsp.exclude.globs."
                return Verdict(sentence, sentence)
            if not uris.is_file(uri):
                continue
            if match := self._ignored.by_assistants(path, workspace):
                sentence = f"The file is excluded by {match}."
                return Verdict(sentence, sentence)
            if match := self._ignored.by_git(path, workspace):
                reading = f"Git ignores the file: {match}."
        return Verdict(reading if settings.gitignored == "both" else "", reading)

    def _workspace(self, path: str) -> str | None:
        inside = [folder for folder in self._workspaces if path.startswith(f"{folder}/")]
        return max(inside, key=len, default=None)

    def _by_globs(self, path: str, workspace: str | None, globs: list[str]) -> str | None:
        """The user's pattern that names the file, from its workspace folder on, or from the root where it lies in none."""
        if not globs:
            return None
        key = tuple(globs)
        if key not in self._globs:
            if len(self._globs) > len(self._workspaces) + 8:  # settings that were replaced
                self._globs.clear()
            self._globs[key] = compiled(globs, "dgLsp.exclude.globs", "")
        relative = path[len(workspace) + 1 :] if workspace is not None else path.lstrip("/")
        return self._globs[key].excluding(relative)


def _names(uri: str) -> list[str]:
    """The path of a URI, and where it leads when it is a symbolic link: a harmless name must not open what another protects."""
    path = uris.path_of(uri)
    if not uris.is_file(uri):
        return [path]
    local = path[1:] if sys.platform == "win32" else path  # /c:/x; untested
    try:
        real = os.path.realpath(local)
    except (OSError, ValueError):
        return [local]
    real = real.replace(os.sep, "/")
    return [local] if real == local else [local, real]
