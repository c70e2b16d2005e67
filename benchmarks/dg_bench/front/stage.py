"""A server with its double of an engine, in folders of their own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Served
from dg_bench.drive.user_folders import user_folders

PASS_MS: Final = 5.0
"""What the double takes for a pass."""
DRAFT: Final = "value"


@contextmanager
def folders() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with a short path, and the environment that keeps a server inside it."""
    path = Path(tempfile.mkdtemp(prefix="dg"))
    try:
        yield path, user_folders(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def stage(rule: Rule | None = None) -> Iterator[Served]:
    """An initialized server whose engine answers by the rule; by default one word after one pass."""
    with folders() as (path, environment):
        script = Script(rules=[rule or Rule(text=DRAFT, pass_ms=PASS_MS)])
        served = Served.start(path, "s", script, environment=environment)
        try:
            served.initialize()
            yield served
        finally:
            served.stop()


def program(lines: int) -> str:
    """A program of so many lines, its cursor in the middle."""
    body = [f"value_{number} = compute(value_{number - 1}, {number})" for number in range(lines)]
    body.insert(lines // 2, "x = ‸")
    return "\n".join(body) + "\n"


def reached(served: Served, document: Document) -> int | str:
    """A request whose job the engine has."""
    jobs = len(served.engine.jobs)
    asked = document.begin()
    served.engine.wait_for(lambda engine: len(engine.jobs) > jobs, "the job")
    return asked
