"""What the bare command line asks for, before any parser is loaded: an editor appends options of its own, which must not be fatal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path

from dg_engine.paths import absolute, expanded

_DIGITS = 9
_WITH_VALUE = frozenset({"--clientProcessId", "--log-file", "--model", "--engine-socket", "--engine-token-file"})
_OURS = ("--help", "-h", "--version")


class Mode(Enum):
    """Serve an editor, run a sub-command, or show the help because there is nobody to serve."""

    SERVE = auto()
    COMMAND = auto()
    HELP = auto()


def mode(arguments: Sequence[str], *, terminal: bool) -> Mode:
    """Without a sub-command we serve when stdin is no terminal, or when `--stdio` says so."""
    if arguments and (not arguments[0].startswith("-") or arguments[0] in _OURS):
        return Mode.COMMAND
    return Mode.SERVE if "--stdio" in arguments or not terminal else Mode.HELP


@dataclass
class ServeArguments:
    """What serving was asked for. `unknown` are options that a client appended and we do not know."""

    log_file: Path | None = None
    client_process_id: int | None = None
    model: str | None = None
    engine_socket: str | None = None
    engine_token_file: str | None = None
    unknown: list[str] = field(default_factory=list)


def serve_options(arguments: Sequence[str]) -> ServeArguments:
    """Read `--stdio`, `--clientProcessId N`, and the options that name a file or folder, each also as `--name=value`."""
    options, rest = ServeArguments(), list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name == "--stdio":
            continue
        if name not in _WITH_VALUE:
            options.unknown.append(name + equals + value)
            continue
        if not equals:
            value = rest.pop(0) if rest else ""
        if not _take(options, name, value):
            options.unknown.append(f"{name} {value}".strip())
    return options


def _take(options: ServeArguments, name: str, value: str) -> bool:
    """Whether the value made sense."""
    if not value:
        return False
    if name == "--clientProcessId":
        if not value.isdecimal() or len(value) > _DIGITS:
            return False
        options.client_process_id = int(value)
    elif name == "--log-file":
        options.log_file = expanded(value)
    else:
        setattr(options, name.removeprefix("--").replace("-", "_"), str(absolute(value)))
    return True
