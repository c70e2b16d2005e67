"""Start an engine process. Imports no torch."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dg_engine.errors import EngineError

_DROPPED_PREFIXES = ("PYTHON", "VSCODE_", "ELECTRON_", "NVIM")
_DROPPED = frozenset({"VIRTUAL_ENV"})
_SANDBOXES = ("SNAP", "APPDIR", "FLATPAK_ID")
_OUTPUT_CAP = 256 * 1024
"""Bytes kept of what engines printed before."""
_BETWEEN = "import os, sys\nos.setsid()\nif os.fork() == 0: os.execv(sys.argv[1], sys.argv[1:])\n"
"""What the process between us and the engine does: the engine becomes init's child, so that no walk down our tree finds it."""
_BETWEEN_SECONDS = 10


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


def shared(arguments: Sequence[str], output: Path) -> None:
    """Start an engine that outlives us. It takes its lock, or leaves at once when another has it.

    `arguments` are those of `dg-lsp engine serve`; what it prints goes to the file `output`. Raises EngineError.
    """
    from dg_engine.process.manners import cut  # noqa: PLC0415 - a start of the front does not wait for it

    cut(output, _OUTPUT_CAP)
    try:
        out = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            _detach(engine_command(arguments), out)
        finally:
            os.close(out)
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineError(f"The engine process could not be started: {error}.") from None


def _detach(command: list[str], output: int) -> None:
    if sys.platform == "win32":  # untested
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_BREAKAWAY_FROM_JOB
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, creationflags=flags)  # noqa: S603
        return
    subprocess.run(  # noqa: S603  our own interpreter, no shell
        [sys.executable, "-I", "-S", "-c", _BETWEEN, *command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd="/",
        env=engine_environment(os.environ),
        umask=0o077,
        check=True,
        timeout=_BETWEEN_SECONDS,
    )
