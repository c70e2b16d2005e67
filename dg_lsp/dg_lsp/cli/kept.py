"""What we keep on this machine, and where."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dg_engine.errors import EngineError
from dg_engine.loading import builtin_folder
from dg_engine.process.places import log_folder, socket_folder
from dg_lsp.cli.failure import CommandError


@dataclass(frozen=True)
class Kept:
    """One kind of thing: where it lies, how many bytes it takes, what is in it, how it is erased."""

    name: str
    path: str
    size: int
    holds: str
    erase: str


def kept() -> Iterator[Kept]:
    """Everything. Raises CommandError."""
    try:
        sockets, logs = socket_folder(), log_folder()
    except EngineError as error:
        raise CommandError(str(error)) from None
    yield Kept(
        "engine sockets",
        str(sockets),
        _size(sockets),
        "sockets and locks of engines that run; no text of yours",
        f"dg-lsp engine stop && rm -r {shlex.quote(str(sockets))}",
    )
    yield Kept(
        "engine logs", str(logs), _size(logs), "what engines did, without text of yours", f"rm -r {shlex.quote(str(logs))}"
    )
    yield Kept(
        "server log", "where --log-file says", 0, "only if you asked for it; else it goes to the editor", "delete that file"
    )
    model = builtin_folder()
    yield Kept("built-in model", str(model), _size(model), "part of the package", "pip uninstall dg-lsp")
    yield Kept("your settings", "in your editor", 0, "we keep none of our own", "remove section dgLsp there")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0
