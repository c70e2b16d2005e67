"""A document as an editor holds it: a text, a cursor, and edits told to the server in the negotiated encoding."""

from __future__ import annotations

import itertools
import re
from typing import Any, Final

from dg_bench.drive.client import WAIT, Client, MessageId

LINE_END: Final = re.compile(r"\r\n|\n|\r")
CURSOR: Final = "‸"
METHOD: Final = "textDocument/inlineCompletion"
INVOKED: Final = 1
AUTOMATIC: Final = 2
_numbers = itertools.count(1)

Json = Any


class Document:
    """Opened on creation. In `marked` the sign ‸ stands where the cursor is (default: at the end)."""

    def __init__(
        self, client: Client, marked: str, *, uri: str | None = None, language: str = "python", encoding: str = "utf-16"
    ) -> None:
        self.client = client
        self.uri = uri or f"file:///project/module_{next(_numbers)}.py"
        self.encoding = encoding
        self.version = 1
        self.cursor = marked.index(CURSOR) if CURSOR in marked else len(marked)
        self.text = marked.replace(CURSOR, "")
        item = {"uri": self.uri, "languageId": language, "version": self.version, "text": self.text}
        client.notify("textDocument/didOpen", {"textDocument": item})

    def close(self) -> None:
        """Tell the server that the document is closed."""
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    # -- editing

    def edit(self, start: int, end: int, new: str) -> None:
        """Replace text[start:end]; a cursor at or behind the end moves along."""
        change = {"range": {"start": self.position(start), "end": self.position(end)}, "text": new}
        self.text = self.text[:start] + new + self.text[end:]
        if end <= self.cursor:
            self.cursor += len(new) - (end - start)
        self._changed(change)

    def type(self, characters: str) -> None:
        """Type at the cursor, one change a character."""
        for character in characters:
            self.edit(self.cursor, self.cursor, character)

    def delete_back(self, count: int = 1) -> None:
        """Take back characters before the cursor."""
        self.edit(self.cursor - count, self.cursor, "")

    def replace_all(self, marked: str) -> None:
        """Send the whole text, as clients without incremental sync do."""
        self.cursor = marked.index(CURSOR) if CURSOR in marked else len(marked)
        self.text = marked.replace(CURSOR, "")
        self._changed({"text": self.text})

    def _changed(self, change: Json) -> None:
        self.version += 1
        identifier = {"uri": self.uri, "version": self.version}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})

    # -- asking

    def begin(self, trigger: int = INVOKED, selected: Json = None) -> MessageId:
        """Ask for a completion at the cursor; returns the request's id."""
        return self.client.begin(METHOD, self.params(trigger, selected))

    def params(self, trigger: int = INVOKED, selected: Json = None) -> Json:
        """The params of a request at the cursor."""
        context = {"triggerKind": trigger} | ({"selectedCompletionInfo": selected} if selected else {})
        return {"textDocument": {"uri": self.uri}, "position": self.position(self.cursor), "context": context}

    def items(self, trigger: int = INVOKED, selected: Json = None, wait: float = WAIT) -> list[Json]:
        """Ask and wait for the items. Raises AssertionError when the answer is no list."""
        return self.answer(self.begin(trigger, selected), wait)

    def answer(self, message_id: MessageId, wait: float = WAIT) -> list[Json]:
        """The items of a request that was begun."""
        answer = self.client.wait(message_id, wait)
        result = answer.get("result")
        if not isinstance(result, list):
            raise AssertionError(f"No list of items: {answer}")  # noqa: TRY004 - what a test reports
        return result

    def accepted(self, item: Json) -> str:
        """The text as it is once an item was inserted."""
        start, end = self.offset(item["range"]["start"]), self.offset(item["range"]["end"])
        return self.text[:start] + str(item["insertText"]) + self.text[end:]

    # -- positions

    def position(self, offset: int) -> Json:
        """The LSP position of a character offset."""
        line, start = 0, 0
        for match in LINE_END.finditer(self.text, 0, offset):
            line, start = line + 1, match.end()
        return {"line": line, "character": width(self.text[start:offset], self.encoding)}

    def offset(self, position: Json) -> int:
        """The character offset of an LSP position; the line's end for a column behind it."""
        starts = [0, *(match.end() for match in LINE_END.finditer(self.text))]
        if position["line"] >= len(starts):
            return len(self.text)
        index: int = starts[position["line"]]
        ending = LINE_END.search(self.text, index)
        end = ending.start() if ending else len(self.text)
        units = 0
        while index < end and units < position["character"]:
            units += width(self.text[index], self.encoding)
            index += 1
        return index


def width(text: str, encoding: str) -> int:
    """The length of a text in the units of an encoding."""
    if encoding == "utf-32":
        return len(text)
    codec, size = ("utf-8", 1) if encoding == "utf-8" else ("utf-16-le", 2)
    return len(text.encode(codec, "surrogatepass")) // size
