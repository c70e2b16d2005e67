"""The text of a document: immutable, in chunks of lines that versions share, so that a snapshot is free and an edit is cheap.

An edit copies one list of chunk references (some hundred for 100,000 lines) and rebuilds the chunks it touches.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from dg_lsp.documents import lines
from dg_lsp.documents.place import START, Place

CHUNK_LINES: Final = 256
"""Lines of a fresh chunk; one that grew to twice as many is cut, one that shrank to a quarter is joined with its neighbour."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines with their ends; `chars` counts code points, `lf` counts them with each line end as one."""

    lines: tuple[str, ...]
    chars: int
    lf: int

    @classmethod
    def of(cls, part: Sequence[str]) -> Chunk:
        """A chunk of these lines."""
        chars = sum(map(len, part))
        return cls(tuple(part), chars, chars - sum(line.endswith("\r\n") for line in part))


class Text:
    """A text as lines. Places are taken as they are: the store clamps positions."""

    __slots__ = ("_chunks", "_starts", "chars", "count")

    def __init__(self, chunks: list[Chunk]) -> None:
        self._chunks = chunks
        self._starts = [0, *itertools.accumulate(len(chunk.lines) for chunk in chunks)]
        self.count: int = self._starts[-1]
        """Number of lines; a text that ends with a line end has an empty last line."""
        self.chars: int = sum(chunk.chars for chunk in chunks)
        """Code points, line ends as they stand."""

    @classmethod
    def of(cls, text: str) -> Text:
        """The text `text`, exactly."""
        return cls(_chunked(lines.split(text)))

    def __str__(self) -> str:
        return "".join(line for chunk in self._chunks for line in chunk.lines)

    @property
    def chunks(self) -> Sequence[Chunk]:
        """The chunks in order: versions of a text share those that no edit has touched."""
        return self._chunks

    @property
    def end(self) -> Place:
        """The place behind the last character."""
        return Place(self.count - 1, len(self.raw_line(self.count - 1)))

    def raw_line(self, index: int) -> str:
        """Line `index` with its line end."""
        chunk = bisect.bisect_right(self._starts, index) - 1
        return self._chunks[chunk].lines[index - self._starts[chunk]]

    def line(self, index: int) -> str:
        """Line `index` without its line end."""
        return lines.content(self.raw_line(index))

    def slice(self, start: Place, end: Place) -> str:
        """What stands between two places, line ends as they stand."""
        if start.line == end.line:
            return self.raw_line(start.line)[start.col : end.col]
        middle = "".join(itertools.islice(self._lines_from(start.line + 1), end.line - start.line - 1))
        return self.raw_line(start.line)[start.col :] + middle + self.raw_line(end.line)[: end.col]

    def following(self, place: Place, limit: int) -> str:
        """Up to `limit` characters from `place` on, LF only."""
        parts = [lines.to_lf(self.raw_line(place.line)[place.col :])]
        source = self._lines_from(place.line + 1)
        size = len(parts[0])
        while size < limit and (line := next(source, None)) is not None:
            parts.append(lines.to_lf(line))
            size += len(parts[-1])
        return "".join(parts)[:limit]

    def preceding(self, place: Place, limit: int) -> str:
        """Up to `limit` characters before `place`, LF only."""
        parts = [self.raw_line(place.line)[: place.col]]
        size, line = len(parts[0]), place.line
        while size < limit and line > 0:
            line -= 1
            parts.append(lines.to_lf(self.raw_line(line)))
            size += len(parts[-1])
        return "".join(reversed(parts))[-limit:]

    def lf_offset(self, place: Place) -> int:
        """How many characters stand before `place` when each line end counts as one."""
        index = bisect.bisect_right(self._starts, place.line) - 1
        chunk = self._chunks[index]
        inside = Chunk.of(chunk.lines[: place.line - self._starts[index]]).lf
        return sum(c.lf for c in self._chunks[:index]) + inside + place.col

    def place_at(self, lf_offset: int) -> Place:
        """The place that `lf_offset` characters stand before; the text's end when there are fewer."""
        left = lf_offset
        for start, chunk in zip(self._starts, self._chunks, strict=False):
            if left < chunk.lf:
                return _within(chunk, start, left)
            left -= chunk.lf
        return self.end

    def replace(self, start: Place, end: Place, new: str) -> Text:
        """A text with what stands between the places replaced by `new`."""
        if start == START and end == self.end:
            return Text.of(new)
        first, last = start.line, end.line
        head = self.raw_line(first)[: start.col]
        tail = self.raw_line(last)[end.col :]
        if first > 0 and not head:  # a LF written behind a lone CR makes one line end of the two
            first -= 1
            head = self.raw_line(first)
        middle = head + new + tail
        if middle.endswith("\r") and last + 1 < self.count and self.raw_line(last + 1).startswith("\n"):
            last += 1
            middle += self.raw_line(last)
        fresh = lines.split(middle)
        if (
            last + 1 < self.count and not fresh[-1]
        ):  # the last of `split` has no end: it is a line of ours only at the text's end
            fresh.pop()
        return self._spliced(first, last, fresh)

    def _spliced(self, first: int, last: int, fresh: list[str]) -> Text:
        low = bisect.bisect_right(self._starts, first) - 1
        high = bisect.bisect_right(self._starts, last) - 1
        kept_before = self._chunks[low].lines[: first - self._starts[low]]
        kept_after = self._chunks[high].lines[last + 1 - self._starts[high] :]
        part = [*kept_before, *fresh, *kept_after]
        if len(part) < CHUNK_LINES // 4 and high + 1 < len(self._chunks):
            high += 1
            part.extend(self._chunks[high].lines)
        grown = [Chunk.of(part)] if 0 < len(part) <= 2 * CHUNK_LINES else _chunked(part)
        return Text([*self._chunks[:low], *grown, *self._chunks[high + 1 :]])

    def _lines_from(self, index: int) -> Iterator[str]:
        if index >= self.count:
            return
        chunk = bisect.bisect_right(self._starts, index) - 1
        yield from itertools.islice(self._chunks[chunk].lines, index - self._starts[chunk], None)
        for later in itertools.islice(self._chunks, chunk + 1, None):
            yield from later.lines


def _chunked(all_lines: list[str]) -> list[Chunk]:
    return [Chunk.of(all_lines[k : k + CHUNK_LINES]) for k in range(0, len(all_lines), CHUNK_LINES)]


def _within(chunk: Chunk, first_line: int, lf_offset: int) -> Place:
    left = lf_offset
    for index, line in enumerate(chunk.lines):
        size = len(line) - line.endswith("\r\n")
        if left < size:
            return Place(first_line + index, left)
        left -= size
    return Place(first_line + len(chunk.lines) - 1, len(lines.content(chunk.lines[-1])))
