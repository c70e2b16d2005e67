"""Real clients' `initialize` parameters."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dg_bench.drive.document import Document
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Serve

RECORDED = sorted((Path(__file__).parent / "clients").glob("*.json"))
FIRST_OFFER = {"coc": "utf-16", "emacs": "utf-32", "neovim": "utf-8", "vscode": "utf-16"}


@pytest.mark.parametrize("path", RECORDED, ids=[path.name.removesuffix(".initialize.json") for path in RECORDED])
def test_initialize(serve: Serve, path: Path) -> None:
    """The first encoding offered, incremental sync, static inline completion; then an answer in that encoding."""
    served = serve(Script(rules=[Rule(text="value")]), initialize=False)
    params = json.loads(path.read_text(encoding="utf-8"))
    params |= {"processId": os.getpid(), "initializationOptions": {"engine": {"socket": str(served.engine.path)}}}
    capabilities = served.client.initialize(params)["capabilities"]
    assert capabilities["positionEncoding"] == FIRST_OFFER[path.name.split("-")[0].split(".")[0]]
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": {"includeText": False}}
    assert capabilities["inlineCompletionProvider"] == {}
    assert set(capabilities["executeCommandProvider"]["commands"]) >= {"dg.server.accepted"}
    document = Document(served.client, "s = '😀日' + ‸\n", encoding=capabilities["positionEncoding"])
    (item,) = document.items()
    assert document.accepted(item) == "s = '😀日' + value\n"
    announced = {"workspace/configuration", "window/workDoneProgress/create"}
    assert {method for method, _ in served.client.asked} <= announced
    assert served.client.stop() == 0
