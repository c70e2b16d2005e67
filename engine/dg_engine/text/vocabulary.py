"""The bytes behind every token id: what healing and exact re-joining are made of."""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>\Z")
_META_SPACE = "\u2581"


@lru_cache(maxsize=1)
def _byte_of_symbol() -> dict[str, int]:
    """Symbols that byte-level BPE writes bytes with: printable bytes stand for themselves, the rest follow from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(0x100) if b not in set(printable)]
    return {chr(b): b for b in printable} | {chr(0x100 + i): b for i, b in enumerate(others)}


def byte_level(token: str) -> bytes:
    """Bytes of a token of a byte-level vocabulary; empty where it holds another symbol."""
    table = _byte_of_symbol()
    return bytes(table[s] for s in token) if all(s in table for s in token) else b""


def byte_fallback(token: str) -> bytes:
    """Bytes of a token of a SentencePiece vocabulary with byte tokens."""
    byte = _BYTE_TOKEN.match(token)
    return bytes([int(byte[1], 16)]) if byte else token.replace(_META_SPACE, " ").encode()


class Vocabulary:
    """Bytes of each id, and which ids begin with given bytes. Ids without text (specials, unused ones) have empty bytes."""

    def __init__(self, tokens: Mapping[str, int], special: Sequence[int], size: int, *, is_byte_level: bool) -> None:
        """`tokens` maps a token's written form to its id; `size` is the network's vocabulary, maybe larger."""
        to_bytes = byte_level if is_byte_level else byte_fallback
        self.special = frozenset(special)
        self.bytes: list[bytes] = [b""] * size
        for token, id_ in tokens.items():
            if id_ not in self.special and id_ < size:
                self.bytes[id_] = to_bytes(token)
        self._sorted = sorted((text, id_) for id_, text in enumerate(self.bytes) if text)
        self._keys = [text for text, _ in self._sorted]

    def __len__(self) -> int:
        return len(self.bytes)

    def without_text(self) -> list[int]:
        """Ids that must never stand in an answer."""
        return [id_ for id_, text in enumerate(self.bytes) if not text]

    def continuing(self, head: bytes) -> list[int]:
        """Ids whose bytes begin with `head` (not empty)."""
        first = bisect.bisect_left(self._keys, head)
        last = bisect.bisect_left(self._keys, _successor(head), lo=first)
        return [id_ for _, id_ in self._sorted[first:last]]

    def has_continuing(self, head: bytes) -> bool:
        """Whether any id's bytes begin with `head`."""
        first = bisect.bisect_left(self._keys, head)
        return first < len(self._keys) and self._keys[first].startswith(head)


def _successor(head: bytes) -> bytes:
    """The smallest bytes greater than everything that begins with `head`."""
    kept = head.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else b"\xff" * (len(head) + 64)
