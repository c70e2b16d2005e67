"""Cuts: where a prefix ends, what the hole holds, and the tokens on both sides, as inference would make them from the same text."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from numpy.random import Generator
from tokenizers import Tokenizer

from dg_engine.text.heal import heal
from dg_engine.text.vocabulary import Vocabulary
from dg_engine.training.mix import Mix, Shape
from dg_engine.training.windows import Window

_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_WORD = re.compile(r"\w*")
_CLOSER = re.compile(r"[)\]}\"'](?=[)\]}\"',:]*\n)")
_KEYWORDS = frozenset(keyword.kwlist)
_PIN_CHARACTERS = 12


@dataclass(frozen=True)
class Cut:
    """One canvas' material."""

    length: int
    """Ids of the window that the canvas stands behind."""
    hole: list[int]
    """What the hole holds [≤ R]."""
    pins: list[int]
    """The suffix's first ids [P], the end-of-file mark and pads behind it where it is short."""
    allowed: list[int]
    """Ids that the first row may be, after healing; empty: any."""
    guess: list[int] | None
    """What followed the same last ids elsewhere."""


class Cutter:
    """Draws cuts from a window."""

    def __init__(self, tokenizer: Tokenizer, vocabulary: Vocabulary, mix: Mix) -> None:
        self.tokenizer, self.vocabulary, self.mix = tokenizer, vocabulary, mix

    def __call__(self, window: Window, shape: Shape, rng: Generator, tries: int = 24) -> Cut | None:
        """A cut of this shape, or None where the window has none to give."""
        for attempt in range(tries):
            cut = self._try(window, shape, rng, strict=attempt < tries // 2)
            if cut is not None:
                return cut
        return None

    def _try(self, window: Window, shape: Shape, rng: Generator, *, strict: bool) -> Cut | None:
        text = window.text
        at = self._place(window, rng)
        end = self._hole_end(text, at, shape, rng)
        if end <= at or not self._wanted(window, at, end, rng, strict=strict):
            return None
        healed = self._healed(window, at)
        if healed is None:
            return None
        count, allowed = healed
        begin = window.starts[count]
        hole = self.tokenizer.encode(text[begin:end]).ids
        if len(hole) > shape.hole * 2 or (len(hole) > shape.hole and rng.random() < 0.5):  # noqa: PLR2004  a share
            return None
        pins = self._pins(text, end, shape, window, rng)
        if pins is None or not hole or (allowed and hole[0] not in allowed):
            return None
        guess = self._guess(window, count, end, allowed, rng) if rng.random() < self.mix.guess else None
        return Cut(window.head + count, hole[: shape.hole], pins, allowed, guess)

    def _place(self, window: Window, rng: Generator) -> int:
        """A character in the window, maybe moved to its word's end."""
        at = int(rng.integers(0, max(1, window.last_character)))
        if rng.random() < self.mix.word_end:
            match = _WORD.match(window.text, at)
            at = match.end() if match else at
        return at

    def _hole_end(self, text: str, at: int, shape: Shape, rng: Generator) -> int:
        """Where the hole ends: for narrow holes mostly their line's end, for wide ones some lines on."""
        line = text.find("\n", at)
        if line < 0:
            return -1
        draw = rng.random()
        if shape.is_line:
            if draw < 0.12 and (closer := _CLOSER.search(text, at, line + 1)):  # noqa: PLR2004  brackets that an editor has closed
                return closer.start()
            return int(rng.integers(at, line + 1)) if 0.12 <= draw < 0.2 else line  # noqa: PLR2004  shares
        if draw < 0.2:  # noqa: PLR2004  a share
            return min(len(text), at + int(rng.integers(1, 4 * shape.hole)))
        for _ in range(int(rng.integers(0, 5))):
            following = text.find("\n", line + 1)
            line = following if following >= 0 else line
        return line

    def _wanted(self, window: Window, at: int, end: int, rng: Generator, *, strict: bool) -> bool:
        """Less prose; a middle of at least two characters; often only what the prefix helps with."""
        text = window.text
        middle = text[at:end]
        if len(middle.strip()) < 2 and rng.random() < 0.7:  # noqa: PLR2004  shares
            return False
        line = text[text.rfind("\n", 0, at) + 1 : at]
        if "#" in line or any(i < at < j for i, j in window.prose):
            return bool(rng.random() < self.mix.prose)
        if not strict or rng.random() >= self.mix.copy_only:
            return True
        names = {name for name in _NAME.findall(text[at:end]) if name not in _KEYWORDS}
        before = text[max(0, at - 3000) : at]
        return any(name in before for name in names)

    def _healed(self, window: Window, at: int) -> tuple[int, list[int]] | None:
        """How many of the file's own ids stay before the hole, and what its first row may be; None where healing leaves the tokens."""
        text = window.text
        line = text.rfind("\n", 0, max(0, text.rfind("\n", 0, at)))
        first = max(0, line)
        tail = self.tokenizer.encode(text[first:at]).ids
        healed = heal(tail, self.vocabulary)
        before = window.token_at(first)
        count = before + len(healed.kept)
        if count >= len(window.starts) or window.own[before:count] != healed.kept:
            return None
        if window.starts[count] != at - len(healed.dropped.decode(errors="ignore")):
            return None
        return (count, healed.allowed) if window.head + count <= len(window.ids) else None

    def _pins(self, text: str, end: int, shape: Shape, window: Window, rng: Generator) -> list[int] | None:
        """The suffix's ids; where few are asked for, mostly as if the file ended here."""
        ids = self.tokenizer.encode(text[end : end + shape.pins * _PIN_CHARACTERS]).ids
        mark, pad = self.mix.ids["eos"], self.mix.ids["pad"]
        if shape.pins <= 4 and rng.random() < 0.8:  # noqa: PLR2004  a share
            return ([*ids[: shape.pins - 1], mark] + [pad] * shape.pins)[: shape.pins]
        if len(ids) < shape.pins:
            return ([*ids, mark] + [pad] * shape.pins)[: shape.pins] if window.reaches_end else None
        return ids[: shape.pins]

    def _guess(self, window: Window, count: int, end: int, allowed: list[int], rng: Generator) -> list[int] | None:
        """Ids that followed the longest run of the same last ids elsewhere in the file, up to a line's end."""
        own, behind = window.own, window.token_at(end)
        if count < 2:  # noqa: PLR2004  nothing to compare
            return None
        may = set(allowed)
        best, found = 0, []
        for place in range(1, len(own)):
            if own[place - 1] != own[count - 1] or count <= place <= behind or (may and own[place] not in may):
                continue
            run = 1
            while run < min(12, place, count) and own[place - 1 - run] == own[count - 1 - run]:
                run += 1
            if run > best:
                best, found = run, [place]
            elif run == best:
                found.append(place)
        if not found:
            return None
        guess: list[int] = []
        for id_ in own[found[int(rng.integers(len(found)))] :][:16]:
            if guess and self.vocabulary.bytes[id_].startswith(b"\n"):
                break
            guess.append(id_)
        return guess
