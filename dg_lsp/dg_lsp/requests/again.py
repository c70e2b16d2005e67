"""Asking again by hand at the same place: whoever does wants to see something else."""

from __future__ import annotations

from dg_lsp.requests.asked import Asked


class AskedAgain:
    """Counts, a document, how often in a row it was asked for by hand at one place of one version."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[tuple[object, ...], int]] = {}

    def count(self, asked: Asked) -> int:
        """0 for the first time, and for whatever the editor asks by itself."""
        if asked.trigger != "invoked":
            self._last.pop(asked.key, None)
            return 0
        place = (asked.version, asked.cursor, asked.selected)
        last, times = self._last.get(asked.key, (None, 0))
        times = times + 1 if last == place else 0
        self._last[asked.key] = (place, times)
        return times

    def forget(self, key: str) -> None:
        """The document was closed."""
        self._last.pop(key, None)
