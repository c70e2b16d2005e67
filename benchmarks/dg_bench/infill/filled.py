"""Filling a hole as the server does: guesses, engine, shaping; in this process, one hole after the other."""

from __future__ import annotations

import ast
import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from dg_bench.infill.holes import Hole, Source
from dg_engine.fill import Filler
from dg_engine.messages import Completion, FillJob, Guess
from dg_engine.steps import finish
from dg_lsp.context.window import PREFIX_LIMIT, SUFFIX_LIMIT
from dg_lsp.documents.place import Place
from dg_lsp.documents.text import Text
from dg_lsp.guesses.index import GuessIndex
from dg_lsp.shaping.pipeline import shape, sure_of
from dg_lsp.shaping.spot import Spot

Open = Literal["nothing", "file", "package"]
"""Where guesses come from: nowhere, the hole's own file, all files of its package."""
_ECHO = 4


@dataclass(frozen=True)
class Filled:
    """One hole, filled and judged."""

    hole: Hole
    text: str
    """What would be shown."""
    sure: float
    guessed: bool
    """The candidate began from a guess, or from the encoder's continuation."""
    passes: int
    ms: float
    guess_ms: float
    guesses: list[Guess]
    completion: Completion

    @property
    def exact(self) -> bool:
        """Equal to what stood there, up to blanks at the end."""
        return self.text.rstrip() == self.hole.rest

    @property
    def similarity(self) -> float:
        """Edit similarity from 0 to 1."""
        return SequenceMatcher(None, self.text.rstrip(), self.hole.rest, autojunk=False).ratio()

    @property
    def parses(self) -> bool:
        """Whether the file is Python with it."""
        before, after = _sides(self.hole)
        return parses(before + self.text + after)

    @property
    def echoes(self) -> bool:
        """Whether it says the next line once more."""
        following = _sides(self.hole)[1].strip().split("\n", 1)[0].strip()
        return len(following) >= _ECHO and following in self.text


class Asker:
    """Fills holes of some files."""

    def __init__(self, filler: Filler, files: Sequence[Source], opened: Open, *, by_hand: bool = True) -> None:
        """`by_hand`: as if asked for, when the encoder's own continuation is a start too."""
        self.filler, self.opened, self.by_hand = filler, opened, by_hand
        packages = {file.name: file.package for file in files}
        self._index = GuessIndex(packages.get)
        self._texts = {file.name: Text.of(file.text) for file in files}
        if opened == "package":
            for name, text in self._texts.items():
                self._index.update(name, text)
            self._index.finish()

    def __call__(self, hole: Hole) -> Filled:
        """The hole as the server would fill it."""
        before, after = _sides(hole)
        guesses, guess_ms = self._guesses(hole)
        job = FillJob(
            id=1,
            document=hole.source.name,
            path=hole.source.name,
            prefix=before[-PREFIX_LIMIT:],
            prefix_start=max(0, len(before) - PREFIX_LIMIT),
            suffix=after[:SUFFIX_LIMIT],
            guesses=guesses,
            continuation=self.by_hand,
        )
        start = time.perf_counter()
        completion = finish(self.filler.fill(job))
        ms = (time.perf_counter() - start) * 1000
        best = completion.candidates[0]
        shown = shape(best.text, Spot(job.prefix, job.suffix))
        passes = max(one.passes for one in completion.candidates)
        return Filled(
            hole, shown, sure_of(best), best.guess is not None or best.continued, passes, ms, guess_ms, guesses, completion
        )

    def _guesses(self, hole: Hole) -> tuple[list[Guess], float]:
        """What the index has, and the milliseconds of asking it."""
        if self.opened == "nothing":
            return [], 0.0
        name, place = hole.source.name, Place(hole.line, hole.column)
        whole = self._texts[name]
        text = whole.replace(place, Place(hole.line, len(whole.line(hole.line))), "")
        self._index.update(name, text)
        self._index.finish()
        start = time.perf_counter()
        found = self._index.guesses(name, text, place, 1)
        ms = (time.perf_counter() - start) * 1000
        if self.opened == "package":
            self._index.update(name, whole)
            self._index.finish()
        else:
            self._index.forget(name)
        return found, ms


def _sides(hole: Hole) -> tuple[str, str]:
    lines = hole.source.text.split("\n")
    before = "\n".join([*lines[: hole.line], lines[hole.line][: hole.column]])
    return before, "\n".join(["", *lines[hole.line + 1 :]])


def parses(text: str) -> bool:
    """Whether a text is Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
