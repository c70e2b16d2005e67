"""What users of such tools report, replayed over stdio as real clients speak: the numbers are those of the table in docs/reports.md."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dg_bench.drive.document import AUTOMATIC, INVOKED, Document
from dg_bench.drive.editor import Editor
from dg_bench.drive.processes import EditorThatDies, alive, resident, until
from dg_bench.drive.script import Rule
from dg_bench.drive.served import Serve
from dg_bench.drive.windows import LOADING, Window, engines

CANCELLED = -32800


def test_1_the_editors_closer_is_not_doubled(editor: Editor) -> None:
    assert editor.result("print(‸)\n", "x)") == "print(x)\n"


def test_2_the_rest_of_the_line_is_not_repeated(editor: Editor) -> None:
    assert editor.result("foo(a, ‸ b)\n", "c, b)") == "foo(a, c, b)\n"


def test_3_a_range_lies_on_one_line(editor: Editor) -> None:
    editor.drafts("if a:\n        return b\n    return c")
    document = editor.open("def f(a, b, c):\n    ‸\n\nx = 1\n")
    (item,) = document.items()
    at = document.position(document.cursor)
    assert item["range"] == {"start": at, "end": at}
    assert item["insertText"].count("\n") == 2


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_4_line_ends_are_lf_in_the_answer(editor: Editor, end: str) -> None:
    """And the model sees LF, with as many lines as the document has."""
    editor.drafts("if a:\r\n        return 1\r\n    return 2")
    document = editor.open(f"def f(a):{end}    ‸{end}x = f(1){end}")
    (item,) = document.items()
    assert item["insertText"] == "if a:\n        return 1\n    return 2"
    job = editor.served.engine.jobs[-1]
    assert (job.prefix, job.suffix) == ("def f(a):\n    ", "\nx = f(1)\n")


def test_5_columns_on_lines_of_wide_signs(editor: Editor) -> None:
    assert editor.result('x = "日本語😀" + ‸ + y\n', "z") == 'x = "日本語😀" + z + y\n'


def test_5_an_edit_behind_wide_signs(editor: Editor) -> None:
    editor.drafts("end")
    document = editor.open('s = "é😀日‸"\n')
    document.type("👍é")
    document.items()
    assert editor.served.engine.jobs[-1].prefix == 's = "é😀日👍é'


@pytest.mark.parametrize(
    ("marked", "text", "shown"),
    [
        ("def f():\n\tif a:\n\t\t‸\n", "x = 1\n        y = 2", "def f():\n\tif a:\n\t\tx = 1\n\t\ty = 2\n"),
        ("def f():\n  if a:\n    ‸\n", "if b:\n      x = 1", "def f():\n  if a:\n    if b:\n      x = 1\n"),
    ],
    ids=["tabs", "two blanks"],
)
def test_6_the_documents_own_indentation(editor: Editor, marked: str, text: str, shown: str) -> None:
    assert editor.result(marked, text) == shown


def test_7_a_leading_blank(editor: Editor) -> None:
    """Neither lost nor doubled."""
    assert editor.result("def f(x):\n    return ‸\n", " x") == "def f(x):\n    return x\n"
    assert editor.result("def f(x):\n    return‸\n", " x") == "def f(x):\n    return x\n"


def test_8_a_half_typed_word_goes_on(editor: Editor) -> None:
    assert editor.result("total = 1\nprint(tot‸)\n", "al") == "total = 1\nprint(total)\n"


def test_9_an_empty_range_where_nothing_is_replaced(editor: Editor) -> None:
    editor.drafts("a + b")
    document = editor.open("x = f(‸) + 1\n")
    (item,) = document.items()
    at = document.position(document.cursor)
    assert item["range"] == {"start": at, "end": at}
    assert document.accepted(item) == "x = f(a + b) + 1\n"


@pytest.mark.parametrize("text", ["", "   ", "\n\n    ", "\t", "\r\n"])
def test_10_blanks_alone_are_never_suggested(editor: Editor, text: str) -> None:
    assert editor.result("def f():\n    ‸\n", text) is None


def late(editor: Editor, marked: str, text: str, typed: str) -> tuple[Document, list[Any]]:
    """The document, and the items of a request during which somebody typed."""
    editor.drafts(text, hold=True)
    document = editor.open(marked)
    jobs = len(editor.served.engine.jobs)
    asked = document.begin(AUTOMATIC)
    editor.served.engine.wait_for(lambda engine: len(engine.jobs) > jobs, "the job")
    document.type(typed)
    editor.served.settle()
    editor.served.engine.let_go()
    return document, document.answer(asked)


def test_11_a_late_answer_joins_what_was_typed(editor: Editor) -> None:
    document, (item,) = late(editor, "items.ap‸\n", "pend(1)", "pe")
    assert document.accepted(item) == "items.append(1)\n"


def test_11_a_late_answer_that_does_not_fit_is_dropped(editor: Editor) -> None:
    assert late(editor, "items.ap‸\n", "pend(1)", "x")[1] == []


def test_12_nothing_to_show_is_an_empty_list(editor: Editor) -> None:
    """Neovim keeps the old ghost text on null."""
    editor.drafts("", fail="not_finite")
    document = editor.open("x = ‸\n")
    answer = editor.served.client.wait(document.begin())
    assert answer["result"] == []


def test_13_a_change_around_it_ends_a_remembered_answer(editor: Editor) -> None:
    editor.drafts("value")
    document = editor.open("a = 1\nx = ‸\n")
    assert len(document.items()) == 1
    jobs = len(editor.served.engine.jobs)
    document.edit(0, 1, "b")
    editor.drafts("other")
    (item,) = document.items()
    assert item["insertText"] == "other"
    assert len(editor.served.engine.jobs) == jobs + 1


def test_14_nothing_of_itself_while_text_is_selected(editor: Editor) -> None:
    """The protocol carries a selection only in the field of the pop-up's entry: one that does not end at the cursor is none."""
    editor.drafts("value")
    document = editor.open("x = 1\ny = ‸2\n")
    selected = {"range": {"start": {"line": 0, "character": 0}, "end": document.position(len(document.text))}, "text": "x"}
    assert document.items(AUTOMATIC, selected) == []


def test_15_marks_of_the_model_are_text_in_a_document_and_never_in_an_answer(editor: Editor) -> None:
    """The front passes what stands in the document on as it is; tests of the engine show that no id becomes such a mark."""
    editor.drafts("x")
    document = editor.open('s = "<fim><eos><pad>" + ‸\n')
    document.items()
    assert editor.served.engine.jobs[-1].prefix == 's = "<fim><eos><pad>" + '


def test_16_a_cancelled_request_stops_within_a_pass(editor: Editor) -> None:
    engine = editor.served.engine
    editor.drafts("x", passes=1000, pass_ms=5)
    before, after, jobs = engine.passes, engine.passes_after_cancel, len(engine.jobs)
    document = editor.open("x = ‸\n")
    asked = document.begin()
    engine.wait_for(lambda one: len(one.jobs) > jobs and one.passes > before + 1, "a pass")
    editor.served.client.cancel(asked)
    assert editor.served.client.wait(asked)["error"]["code"] == CANCELLED
    engine.wait_for(lambda one: one.ended[-1:] == [(one.jobs[-1].id, "cancelled")], "the job's end")
    assert engine.passes_after_cancel - after <= 1


def test_17_two_editors_take_turns(window: Window) -> None:
    """Eight requests of one do not hold up one of another: the turn goes round."""
    greedy, modest = window(), window()
    ids = [Document(greedy, f"class Greedy{number}:\n    def __init__(self):\n        self.‸\n").begin() for number in range(8)]
    one = Document(modest, "x = [1, 2]\ny = len(‸\n").begin()
    modest.wait(one)
    waiting = [one for one in ids if one not in greedy.answers]
    for one in ids:
        greedy.wait(one)
    assert waiting


def test_18_one_notice_when_there_is_no_engine(serve: Serve) -> None:
    served = serve(initialize=False)
    served.client.initialize(options={"engine": {"socket": str(served.engine.path) + ".gone"}})
    for _ in range(3):
        assert Document(served.client, "x = ‸\n").items() == []
    shown = served.client.notified("window/showMessage")
    assert len(shown) == 1
    assert "dg-lsp engine serve --socket" in shown[0]["message"]


def test_19_the_status_says_why_nothing_came(editor: Editor) -> None:
    editor.drafts("   ")
    document = editor.open("x = ‸\n")
    assert document.items() == []
    report = editor.served.client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert report["document"]["on"] is True
    assert report["document"]["reason"]


def test_20_four_servers_share_an_engine(window: Window, environment: dict[str, str]) -> None:
    """Four windows that a session restores at once start one process, not four."""
    windows = [window() for _ in range(4)]
    asked = [Document(one, "x = ‸\n").begin() for one in windows]
    for one, message_id in zip(windows, asked, strict=True):
        assert "result" in one.wait(message_id, LOADING)
    (engine,) = engines(environment)
    assert engine["clients"] == 4


def test_21_the_server_goes_with_a_killed_editor(editor_that_dies: EditorThatDies) -> None:
    """Nobody closes its stdin: the pipe is held open elsewhere."""
    editor_that_dies.kill()
    assert until(lambda: not alive(editor_that_dies.server))


def test_22_ten_thousand_documents_leave_nothing_behind(serve: Serve) -> None:
    """What the process holds after the second five thousand is what it held after the first."""
    served = serve()
    served.script(Rule(text="value"))
    sizes = []
    for _ in range(2):
        for _ in range(5000):
            document = Document(served.client, "x = ‸" + "# some text\n" * 50)
            document.close()
        Document(served.client, "x = ‸\n").items()
        sizes.append(resident(served.client.process.pid))
    assert sizes[1] - sizes[0] < 4 * 2**20


def test_23_a_document_that_has_no_file(editor: Editor) -> None:
    uri = "untitled:Untitled-1"
    assert editor.result("x = ‸\n", "value", uri=uri) == "x = value\n"
    at = {"line": 0, "character": 0}
    params = {"textDocument": {"uri": "untitled:Untitled-2"}, "position": at, "context": {"triggerKind": 1}}
    assert editor.served.client.request("textDocument/inlineCompletion", params)["result"] == []


def test_24_settings_take_effect_without_a_restart(editor: Editor) -> None:
    """Pulled when the payload is empty."""
    client = editor.served.client
    socket = str(editor.served.engine.path)
    for maximum in (2, 6):
        client.reply["workspace/configuration"] = lambda _, lines=maximum: [
            {"engine": {"socket": socket}, "completion": {"maxLines": lines}}
        ]
        pulls = len(client.asked)
        client.notify("workspace/didChangeConfiguration", {"settings": {}})
        client.wait_for(lambda before=pulls: len(client.asked) > before, "the pull")
        editor.served.settle()
        editor.drafts("value")
        editor.open("x = ‸\n").items(INVOKED)
        assert editor.served.engine.jobs[-1].max_lines == maximum


def test_25_inline_completion_is_offered_statically(serve: Serve) -> None:
    """Also to a client that announced nothing at all."""
    served = serve(initialize=False)
    capabilities = served.client.request("initialize", {"capabilities": {}, "processId": None, "rootUri": None})["result"]
    assert capabilities["capabilities"]["inlineCompletionProvider"] == {}
    assert "id" not in json.dumps(served.client.asked)


def test_26_files_with_secrets_are_neither_completed_nor_sent(editor: Editor) -> None:
    jobs = len(editor.served.engine.jobs)
    document = editor.open("TOKEN = ‸\n", uri="file:///w/.env")
    assert document.items() == []
    assert len(editor.served.engine.jobs) == jobs
    report = editor.served.client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert report["document"]["on"] is False
    assert "secrets" in report["document"]["reason"]


@pytest.mark.xfail(strict=True, reason="needs context from other documents, and what git ignores")
def test_26_files_that_git_ignores_are_never_read(editor: Editor) -> None:
    editor.drafts("of_the_open_file()")
    editor.open("def helper_of_the_open_file():\n    pass\n", uri="file:///w/open.py")
    editor.open("helper_‸\n", uri="file:///w/main.py").items()
    assert any("open.py" in path for path, _ in editor.served.engine.jobs[-1].neighbours)


def test_27_line_by_line(editor: Editor) -> None:
    """After the first line was taken, the second comes from memory."""
    editor.drafts("a = 1\n    b = 2")
    document = editor.open("def f():\n    ‸\n")
    assert len(document.items()) == 1
    jobs = len(editor.served.engine.jobs)
    document.edit(document.cursor, document.cursor, "a = 1\n")
    (item,) = document.items()
    assert document.accepted(item) == "def f():\n    a = 1\n    b = 2\n"
    assert len(editor.served.engine.jobs) == jobs


def test_28_a_notebooks_cell_is_a_document(editor: Editor) -> None:
    """What stands in another cell is not glued to it."""
    editor.drafts("value")
    cells = [f"vscode-notebook-cell:/w/n.ipynb#W{number}sZmlsZQ%3D%3D" for number in range(2)]
    editor.open("import os", uri=cells[0])
    document = editor.open("x = ‸", uri=cells[1])
    (item,) = document.items()
    assert document.accepted(item) == "x = value"
    assert editor.served.engine.jobs[-1].prefix == "x = "
