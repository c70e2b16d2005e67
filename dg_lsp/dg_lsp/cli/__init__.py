"""The command line: one module a sub-command, found by name. Importing this brings neither typer nor rich."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from dg_lsp.cli.arguments import Mode, mode, serve_options


def main(argv: Sequence[str] | None = None) -> int:
    """Serve an editor, or run a sub-command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    chosen = mode(arguments, terminal=sys.stdin is not None and sys.stdin.isatty())
    if chosen is Mode.SERVE:
        return _serve(arguments)
    from dg_lsp.cli.app import run  # noqa: PLC0415 - serving must not wait for typer

    if chosen is Mode.HELP:
        run(["--help"])
        return 2
    return run(arguments)


def _serve(arguments: Sequence[str]) -> int:
    gc.disable()  # collecting while modules are imported costs start-up time and finds nothing
    from dg_lsp.serving import serve  # noqa: PLC0415 - a sub-command must not wait for pygls

    gc.freeze()  # nor does what is there now ever go away: looking through it again would hold up a key by tens of milliseconds
    gc.enable()
    return serve(serve_options(arguments))
