"""A server that was initialized with a real client's parameters, and documents in the encoding that they agreed on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

from dg_bench.drive.document import INVOKED, Document
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Served


class Editor:
    """One such server."""

    def __init__(self, served: Served, encoding: str) -> None:
        self.served, self.encoding = served, encoding

    @classmethod
    def start(cls, served: Served, recorded: Path) -> Self:
        """Initialize a server as the recorded client does, but for the process to watch and the engine."""
        options = {"engine": {"socket": str(served.engine.path)}, "completion": {"speculative": False}}
        params = json.loads(recorded.read_text(encoding="utf-8"))
        params |= {"processId": os.getpid(), "initializationOptions": options}
        return cls(served, served.client.initialize(params)["capabilities"]["positionEncoding"])

    def open(self, marked: str, **more: Any) -> Document:
        """A document whose cursor stands at ‸."""
        return Document(self.served.client, marked, encoding=self.encoding, **more)

    def drafts(self, text: str, **more: Any) -> None:
        """What the model says from now on."""
        self.served.script(Rule(text=text, **more))

    def result(self, marked: str, text: str, trigger: int = INVOKED, **more: Any) -> str | None:
        """The document after accepting what came for a draft; None when nothing came."""
        self.drafts(text)
        document = self.open(marked, **more)
        items = document.items(trigger)
        return document.accepted(items[0]) if items else None
