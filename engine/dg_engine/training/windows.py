"""Encoder windows: tokens of a file's part with the characters they stand for, maybe behind a part of another file."""

from __future__ import annotations

import builtins
import keyword
import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

from numpy.random import Generator
from tokenizers import Tokenizer

from dg_engine.training.corpus import Corpus, docstring_spans
from dg_engine.training.drill import drill
from dg_engine.training.mix import Mix

_CHARACTERS_A_TOKEN = 6
_LOOKAHEAD = 3000
_NAME = re.compile(r"\b[A-Za-z_]\w{3,}\b")
_FIXED = frozenset([*keyword.kwlist, *dir(builtins), "self"])


@dataclass(frozen=True)
class Window:
    """`text` is the file's part from the window's first character on, further than the window reaches (for holes and suffixes)."""

    text: str
    ids: list[int]
    """All of the window's ids [≤ P], the start ids and a neighbour's among them."""
    head: int
    """How many ids stand before the file's own."""
    starts: list[int]
    """First character of each of the file's own ids, also of those behind the window."""
    own: list[int]
    """The file's own ids, also those behind the window."""
    prose: list[tuple[int, int]]
    """Where docstrings stand in `text`."""
    reaches_end: bool
    """Whether `text` ends where the file does."""

    @property
    def last_character(self) -> int:
        """Where the window's last token begins: no prefix may end behind it."""
        count = len(self.ids) - self.head
        return self.starts[count - 1] if count else 0

    def token_at(self, character: int) -> int:
        """Number of the file's own id that begins at a character, or the next one."""
        return bisect_left(self.starts, character)


class WindowMaker:
    """Draws windows from a corpus."""

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, mix: Mix) -> None:
        self.corpus, self.tokenizer, self.mix = corpus, tokenizer, mix

    def __call__(self, size: int, rng: Generator, step: int | None = None) -> Window:
        """A window of `size` ids, or fewer where the file ends before. How many are drills depends on the step; without one none is."""
        for _ in range(20):
            number = self.corpus.draw(rng)
            if len(self.corpus.texts[number]) >= size * 3:
                break
        if step is not None and rng.random() < self.mix.drill(step):
            return self._drill(number, size, rng)
        text, reaches_end = self._part(number, size, rng)
        if rng.random() < self.mix.renamed:
            text = self._renamed(text, rng)
        own, starts = self._tokens(text)
        before = self._before(number, own, size, rng)
        if len(before) > size // 2:  # long paths: little would be left of the file itself
            before = []
        head = [self.mix.ids["bos"], *before]
        return Window(text, [*head, *own[: size - len(head)]], len(head), starts, own, docstring_spans(text), reaches_end)

    def _drill(self, number: int, size: int, rng: Generator) -> Window:
        """Words of a file in no order, said again."""
        text = drill(self.corpus.texts[number], size * _CHARACTERS_A_TOKEN, rng)
        own, starts = self._tokens(text)
        return Window(text, [self.mix.ids["bos"], *own[: size - 1]], 1, starts, own, [], reaches_end=False)

    def _tokens(self, text: str) -> tuple[list[int], list[int]]:
        """Ids of a text, and the first character of each."""
        encoding = self.tokenizer.encode(text)
        return encoding.ids, [first for first, _ in encoding.offsets]

    def _before(self, number: int, own: list[int], size: int, rng: Generator) -> list[int]:
        """What stands before the file's part: mostly nothing."""
        draw, room = rng.random(), int(size * rng.uniform(0.2, 0.45))
        if draw < self.mix.neighbours:
            return self._neighbour(number, room, rng)
        if draw < self.mix.neighbours + self.mix.echo:
            first = int(rng.integers(max(1, min(len(own), size - room) - room)))
            return self._framed(number, own[first : first + room])
        return []

    def _renamed(self, text: str, rng: Generator) -> str:
        """A text with up to four of its names exchanged for names of another file."""
        others = list(dict.fromkeys(_NAME.findall(self.corpus.texts[self.corpus.draw(rng)][:20_000])))
        counts = Counter(name for name in _NAME.findall(text) if name not in _FIXED)
        often = [name for name, count in counts.items() if count > 1]
        if not others or not often:
            return text
        picked = [often[int(i)] for i in rng.permutation(len(often))[:4]]
        table = {name: others[int(rng.integers(len(others)))] for name in picked}
        return _NAME.sub(lambda match: table.get(match[0], match[0]), text)

    def _part(self, number: int, size: int, rng: Generator) -> tuple[str, bool]:
        """A file's text from a line's start on, and whether it goes on to the end."""
        text = self.corpus.texts[number]
        start = 0
        if rng.random() >= self.mix.file_start:
            latest = max(0, len(text) - size * 3)
            start = text.find("\n", int(rng.integers(latest + 1))) + 1
        length = size * _CHARACTERS_A_TOKEN + _LOOKAHEAD
        return text[start : start + length], start + length >= len(text)

    def _neighbour(self, number: int, size: int, rng: Generator) -> list[int]:
        """`<file>` path LF text, then `<file>` path LF, as the engine sends other files' snippets."""
        other = self.corpus.neighbour(number, rng)
        if other is None:
            return []
        text = self.corpus.texts[other]
        start = text.find("\n", int(rng.integers(max(1, len(text) - 3 * size)))) + 1 if rng.random() < 0.7 else 0  # noqa: PLR2004
        return self._framed(number, self.tokenizer.encode(text[start : start + 6 * size]).ids[:size], other)

    def _framed(self, number: int, snippet: list[int], other: int | None = None) -> list[int]:
        """A snippet of another file, or of this one under another's name, and the mark of this file."""
        mark, paths = self.mix.ids["file"], self.corpus.paths
        first, second = (self.tokenizer.encode(f"{paths[i]}\n").ids for i in (number if other is None else other, number))
        return [mark, *first, *snippet, mark, *second]
