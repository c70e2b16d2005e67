"""Several editor windows of one user, each with a server of its own, and the engines that these share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Final, Protocol

from dg_bench.drive.client import WAIT, Client

LOADING: Final = 6 * WAIT
"""Seconds that an answer may take while an engine is started and loads its model."""


class Window(Protocol):
    """Opens another one: the fixture of tests."""

    def __call__(self) -> Client:
        """Its client, initialized."""
        ...


def command(environment: Mapping[str, str], *words: str) -> str:
    """What a sub-command prints. Raises subprocess.CalledProcessError."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-P", "-m", "dg_lsp", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=LOADING,
        check=True,
    )
    return done.stdout


def engines(environment: Mapping[str, str]) -> list[Any]:
    """What `dg-lsp engine status` says of a user's engines."""
    found: list[Any] = json.loads(command(environment, "engine", "status", "--json").splitlines()[-1])["engines"]
    return found
