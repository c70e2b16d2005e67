"""How a sub-command ends when it cannot do what was asked."""

from __future__ import annotations


class CommandError(Exception):
    """One sentence for the person at the terminal, and the exit code: 1 for what went wrong, 2 for words that were off."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code
