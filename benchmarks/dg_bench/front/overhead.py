"""What a request costs beside the engine's own time, and what one costs that needs no engine."""

from __future__ import annotations

import time
from typing import Any

from dg_bench.drive.document import METHOD, Document
from dg_bench.front.stage import DRAFT, program, stage
from dg_bench.progress import counted


def overhead(lines: int, count: int) -> list[float]:
    """Milliseconds of `count` requests in a document of so many lines, each after a key, the engine's time taken off.

    Only requests whose job reached the engine count; what is typed never continues the last answer, so that all should.
    """
    found: list[float] = []
    with stage() as served:
        document = Document(served.client, program(lines))
        document.items(wait=60)
        for _ in counted(range(count), f"front: {lines} lines, request", every=100):
            jobs = len(served.engine.jobs)
            document.type("q")
            taken, _ = _asked(document)
            served.settle()
            if len(served.engine.jobs) > jobs:
                found.append((taken - served.engine.spent[served.engine.jobs[-1].id]) * 1000)
    if len(found) < count:
        raise RuntimeError(f"only {len(found)} of {count} requests reached the engine.")
    return found


def typed_along(count: int) -> list[float]:
    """Milliseconds of requests for which what was typed continues the suggestion that is shown: no engine is asked."""
    found: list[float] = []
    with stage() as served:
        while len(found) < count:
            document = Document(served.client, program(1000))
            document.items()
            jobs = len(served.engine.jobs)
            for sign in DRAFT[:-1]:
                document.type(sign)
                taken, (item,) = _asked(document)
                found.append(taken * 1000)
                assert document.accepted(item).count(f"x = {DRAFT}\n") == 1
            assert len(served.engine.jobs) == jobs
            document.close()
    return found


def _asked(document: Document) -> tuple[float, list[Any]]:
    """Seconds from the request to its items; what a client does to know its cursor's position is not counted."""
    params = document.params()
    started = time.perf_counter()
    answer = document.client.request(METHOD, params)
    return time.perf_counter() - started, answer["result"]
