"""Requests that end before their answer: how soon, and what the engine still does for them."""

from __future__ import annotations

import time
from functools import partial

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule
from dg_bench.drive.scripted_engine import ScriptedEngine
from dg_bench.front.stage import reached, stage

REQUESTS = 100


def cancelled(count: int) -> tuple[list[float], list[float]]:
    """Milliseconds from cancel to reply, and passes that the engine computed after it had read the cancel."""
    replies, passes = [], []
    with stage(Rule(passes=10_000, pass_ms=5)) as served:
        document = Document(served.client, "x = ‸\n")
        for _ in range(count):
            asked = reached(served, document)
            after, ended = served.engine.passes_after_cancel, len(served.engine.ended)
            started = time.perf_counter()
            served.client.cancel(asked)
            served.client.wait(asked)
            replies.append((time.perf_counter() - started) * 1000)
            served.engine.wait_for(partial(_ended_since, ended), "the job's end")
            passes.append(float(served.engine.passes_after_cancel - after))
    return replies, passes


def _ended_since(before: int, engine: ScriptedEngine) -> bool:
    return len(engine.ended) > before


def superseded(rounds: int) -> list[float]:
    """Jobs that ran to their end of a hundred requests, each after a key and ended by the next one."""
    found = []
    with stage(Rule(text="value", passes=3, pass_ms=2)) as served:
        for _ in range(rounds):
            document = Document(served.client, "x = ‸\n")
            ended = len(served.engine.ended)
            with served.client.in_one_write():
                asked = []
                for number in range(REQUESTS):
                    document.type("abcdefghij"[number % 10])
                    asked.append(document.begin())
            for one in asked:
                served.client.wait(one)
            served.settle()
            found.append(float(sum(end == "completed" for _, end in served.engine.ended[ended:])))
    return found
