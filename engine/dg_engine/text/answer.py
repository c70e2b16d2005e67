"""From a hole's ids to the text that is inserted, and how sure each token of it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dg_engine.messages import Span
from dg_engine.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class HoleText:
    """Rules of one job's hole: what its text begins with, what ends it."""

    vocabulary: Vocabulary
    end_marks: Collection[int]
    dropped: bytes = b""
    """What healing gave back: stands before the cursor already, so it is no part of the answer."""
    max_lines: int = 1

    def end(self, ids: Sequence[int]) -> int:
        """Rows that the text is made of, the one that ends it included: an end mark, or the line break after the last line."""
        breaks = -self.dropped.count(b"\n")
        for row, id_ in enumerate(ids):
            if id_ in self.end_marks:
                return row + 1
            breaks += self.vocabulary.bytes[id_].count(b"\n")
            if breaks >= self.max_lines:
                return row + 1
        return len(ids)

    def is_over(self, ids: Sequence[int]) -> bool:
        """Whether the last of the ids is what ends the text."""
        if not ids or self.end(ids) < len(ids):
            return bool(ids)
        return ids[-1] in self.end_marks or self._breaks(ids) >= self.max_lines

    def _breaks(self, ids: Sequence[int]) -> int:
        """Line breaks of the text: those that healing gave back are not of it."""
        return sum(self.vocabulary.bytes[id_].count(b"\n") for id_ in ids) - self.dropped.count(b"\n")

    def text(self, ids: Sequence[int], probabilities: Sequence[float]) -> tuple[str, list[Span]]:
        """The text to insert and the spans of its tokens; ends before the end mark and before a line too many."""
        answer, spans, written = b"", [], 0
        for id_, probability in zip(ids[: self.end(ids)], probabilities, strict=False):
            if id_ in self.end_marks:
                break
            answer += self.vocabulary.bytes[id_]
            length = len(_valid(answer[len(self.dropped) :]))
            if length > written:
                spans.append(Span(end=length, probability=probability))
                written = length
        return self._cut(_valid(answer[len(self.dropped) :]), spans)

    def _cut(self, text: str, spans: list[Span]) -> tuple[str, list[Span]]:
        lines = text.split("\n")
        if len(lines) > self.max_lines:
            text = "\n".join(lines[: self.max_lines])
        kept = [span for span in spans if span.end <= len(text)]
        if len(kept) < len(spans) and (not kept or kept[-1].end < len(text)):
            kept.append(Span(end=len(text), probability=spans[len(kept)].probability))
        return text, [span for span in kept if span.end > 0]


def _valid(raw: bytes) -> str:
    """The longest valid UTF-8 head: a canvas may end, or err, in the middle of a character."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        return raw[: error.start].decode()
