"""Start an engine process. Imports no torch."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence

from dg_engine.errors import EngineError

_DROPPED_PREFIXES = ("PYTHON", "VSCODE_", "ELECTRON_", "NVIM")
_DROPPED = frozenset({"VIRTUAL_ENV"})
_SANDBOXES = ("SNAP", "APPDIR", "FLATPAK_ID")


def engine_command(arguments: Sequence[str]) -> list[str]:
    """The command line of an engine process; `-P` keeps the working folder off the import path."""
    return [sys.executable, "-P", "-m", "dg_engine.process", *arguments]


def engine_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What an engine inherits: nothing of the editor's or of a virtual environment that is not its own."""
    kept = {k: v for k, v in environment.items() if k not in _DROPPED and not k.startswith(_DROPPED_PREFIXES)}
    if any(name in environment for name in _SANDBOXES):
        kept.pop("LD_LIBRARY_PATH", None)
    return kept


def embedded(arguments: Sequence[str]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A private engine on an inherited socket pair; it leaves when the returned end is closed. Its log goes to our stderr.

    `arguments` are those of `dg-lsp engine serve` without `--fd`. Raises EngineError where sockets cannot be inherited.
    """
    if sys.platform == "win32":
        raise EngineError("A private engine cannot be started on Windows yet.")
    ours, theirs = socket.socketpair()
    try:
        process = subprocess.Popen(  # noqa: S603  our own interpreter, no shell
            engine_command(["--fd", str(theirs.fileno()), *arguments]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            cwd="/",
            env=engine_environment(os.environ),
            start_new_session=True,  # a Ctrl-C in the terminal is the front's to handle
        )
    except OSError as error:
        ours.close()
        raise EngineError(f"The engine process could not be started: {error}.") from None
    finally:
        theirs.close()
    return process, ours
