"""What has been typed at a place since: the bond between a suggestion and a document that goes on changing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dg_lsp.documents.edit import Edit
from dg_lsp.documents.place import Place

PAIRS: Final = frozenset({"()", "[]", "{}", '""', "''", "``"})
_REACH: Final = 256


@dataclass(slots=True)
class Typed:
    """Follows edits. `typed` stands between `at` and the cursor; `closer` is what an editor put behind it by itself."""

    at: Place
    typed: str = ""
    closer: str = ""

    @property
    def cursor(self) -> Place:
        """Where the cursor is now."""
        return self.at.after(self.typed)

    def follow(self, edit: Edit) -> bool:
        """Take in an edit; False when it was anything else than typing, or taking back, at the cursor."""
        if edit.at < self.at:
            return False
        region = self.typed + self.closer
        offset = self._offset(edit.at, region)
        if offset is None or offset + len(edit.removed) > len(region):
            return self._follow_equivalent(edit)
        return self._follow_inside(region, offset, edit)

    def _follow_inside(self, region: str, offset: int, edit: Edit) -> bool:
        if not edit.removed and offset == len(self.typed) and edit.inserted in PAIRS:
            self.typed, self.closer = self.typed + edit.inserted[0], edit.inserted[1] + self.closer
            return True
        if not edit.removed and offset == len(region):  # behind a closer that was typed over
            self.typed, self.closer = region + edit.inserted, ""
            return True
        now = region[:offset] + edit.inserted + region[offset + len(edit.removed) :]
        if self.closer and now == self.typed[:-1] + self.closer[1:]:  # opener and closer taken back together
            self.typed, self.closer = self.typed[:-1], self.closer[1:]
            return True
        typed = now.removesuffix(self.closer)
        if len(typed) + len(self.closer) != len(now) or not self._continues(typed, edit):
            return False
        self.typed = typed
        return True

    def _continues(self, typed: str, edit: Edit) -> bool:
        """Typed on, taken back, or the last characters exchanged as an input method does."""
        if not edit.removed:
            return typed.startswith(self.typed)
        if not edit.inserted:
            return self.typed.startswith(typed)
        return self.typed.endswith(edit.removed)

    def _follow_equivalent(self, edit: Edit) -> bool:
        """The same result as typing here: clients that compare texts report the second of two equal letters as new."""
        cursor = self.cursor
        distance = _distance(cursor, edit)
        if distance is None or self.closer:
            return False
        between = edit.text.following(cursor, distance)
        if not edit.removed:
            window = edit.text.following(cursor, distance + len(edit.inserted))
            if window[len(edit.inserted) :] != between:
                return False
            self.typed += window[: len(edit.inserted)]
            return True
        count = len(edit.removed)
        if edit.inserted or count > len(self.typed) or self.typed[-count:] + between != between + edit.removed:
            return False
        self.typed = self.typed[:-count]
        return True

    def _offset(self, place: Place, region: str) -> int | None:
        """How far behind `at` a place lies, in characters of the region; None when it lies behind the region."""
        line, start = self.at.line, 0
        for part in region.split("\n"):
            col = self.at.col if line == self.at.line else 0
            if place.line == line:
                inside = place.col - col
                return start + inside if 0 <= inside <= len(part) else None
            line, start = line + 1, start + len(part) + 1
        return None


def _distance(cursor: Place, edit: Edit) -> int | None:
    """Characters between the cursor and an edit behind it, when they are few."""
    if edit.at < cursor:
        return None
    between = edit.text.following(cursor, _REACH)
    lines = between.split("\n")
    down = edit.at.line - cursor.line
    if down >= len(lines):
        return None
    col = edit.at.col - (cursor.col if down == 0 else 0)
    distance = sum(len(line) + 1 for line in lines[:down]) + col
    return distance if distance <= _REACH else None
