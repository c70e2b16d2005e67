"""Command line of the engine process."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

_DIGITS = 9
_THREADS = 1024
"""More than any machine has; torch crashes on some numbers that an int would hold."""


class ServeArguments(msgspec.Struct, frozen=True, kw_only=True):
    """What `engine serve` was asked for; without `fd` and `socket` it is the user's shared engine."""

    fd: int | None
    socket: Path | None
    model: Path | None
    backbone: str
    device: str
    dtype: str
    threads: int | None
    memory_limit_gb: float | None
    idle_minutes: float
    token_file: Path | None
    port: bool
    log_file: Path | None


def parse(argv: Sequence[str]) -> ServeArguments:
    """Read the options; exits with code 2 and a sentence when they do not fit."""
    parser = argparse.ArgumentParser(
        prog="dg-lsp engine serve",
        description="Hold a model and answer fill jobs on a socket. Without --socket: as the engine that all your editor windows share "
        "(they start it by themselves when there is none).",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--fd", type=_descriptor, help="an inherited, connected socket: serve its one client, then leave")
    where.add_argument("--socket", type=Path, help="path of a Unix socket to listen on")
    parser.add_argument("--model", type=Path, help="model folder; default: the built-in starter")
    parser.add_argument("--backbone", choices=("auto", "own", "reference"), default="auto")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--dtype", choices=("auto", "float32", "bfloat16"), default="auto")
    parser.add_argument("--threads", type=_positive, help="CPU threads; default: half of the cores")
    parser.add_argument(
        "--memory-limit-gb",
        type=_gigabytes,
        help="take no more memory than this for weights and documents (default: what is free)",
    )
    parser.add_argument(
        "--idle-minutes",
        type=_minutes,
        default=30.0,
        help="leave after that long without a job (default 30); the built-in starter stays while somebody is attached",
    )
    parser.add_argument("--token-file", type=Path, help="clients must say the first line of this file (default: run as you)")
    parser.add_argument(
        "--port", action="store_true", help="listen on a loopback port instead of a socket; a file says which, and a token"
    )
    parser.add_argument("--log-file", type=Path, help="write the log here instead of to stderr")
    return ServeArguments(**vars(parser.parse_args(argv)))


def _gigabytes(text: str) -> float:
    return _number(text, 1e6)


def _minutes(text: str) -> float:
    return _number(text, 1e8)


def _number(text: str, most: float) -> float:
    """From 0 to `most`."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"must be from 0 to {most:g}")
    return number


def _descriptor(text: str) -> int:
    return _whole(text, 0)


def _positive(text: str) -> int:
    return min(_whole(text, 1), _THREADS)


def _whole(text: str, least: int) -> int:
    """A whole number that an int of C holds."""
    if not text.isascii() or not text.isdecimal() or len(text) > _DIGITS or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} on")
    return int(text)
