"""Document text to ids and ids to text. Nothing that stands in a document becomes a control id."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from dg_engine.errors import ModelError
from dg_engine.text.vocabulary import Vocabulary


class TextTokenizer:
    """A model folder's tokenizer with special tokens split, and its vocabulary as bytes."""

    def __init__(self, tokenizer: Tokenizer, vocabulary: Vocabulary, special_tokens: dict[str, int]) -> None:
        self._tokenizer = tokenizer
        self.vocabulary = vocabulary
        self.special_tokens = special_tokens

    @classmethod
    def open(cls, file: Path, vocabulary_size: int) -> TextTokenizer:
        """Read `tokenizer.json`; `vocabulary_size` is the network's. Raises ModelError when the file is not a tokenizer."""
        try:
            tokenizer = Tokenizer.from_file(str(file))
            decoder = json.loads(file.read_text("utf-8")).get("decoder") or {}
        except Exception as error:  # noqa: BLE001 - the library raises bare Exception for what it cannot read
            raise ModelError(f"{file} is not a tokenizer that the tokenizers library can read: {error}") from None
        tokenizer.encode_special_tokens = True
        special = {t.content: id_ for id_, t in tokenizer.get_added_tokens_decoder().items() if t.special}
        vocabulary = Vocabulary(
            tokenizer.get_vocab(), list(special.values()), vocabulary_size, is_byte_level="ByteLevel" in json.dumps(decoder)
        )
        return cls(tokenizer, vocabulary, special)

    def encode(self, text: str) -> list[int]:
        """Ids of text, none of them special."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def bytes(self, ids: Sequence[int]) -> bytes:
        """The exact bytes of ids; special ids have none."""
        return b"".join(self.vocabulary.bytes[id_] for id_ in ids)
