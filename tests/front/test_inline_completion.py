"""`textDocument/inlineCompletion` over stdio: items, positions, what is asked of the engine, and when nothing is."""

from __future__ import annotations

import pytest

from dg_bench.drive.document import AUTOMATIC, INVOKED, Document
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.served import Serve, Served

METHOD = "textDocument/inlineCompletion"


def test_an_item(served: Served) -> None:
    """A plain string, an empty range at the cursor, and the command that tells of its acceptance."""
    served.script(Rule(text="x + 1"))
    document = Document(served.client, "def f(x):\n    return ‸\n")
    at = {"line": 1, "character": 11}
    (item,) = document.items()
    job = served.engine.jobs[-1]
    assert item == {
        "insertText": "x + 1",
        "range": {"start": at, "end": at},
        "command": {"title": "Accepted", "command": "dg.server.accepted", "arguments": [{"id": job.id, "chars": 5}]},
    }
    assert (job.prefix, job.suffix, job.prefix_start) == ("def f(x):\n    return ", "\n", 0)
    assert (job.language, job.version, job.path) == ("python", 1, "/".join(document.uri.split("/")[-2:]))


def test_acceptance_reaches_the_engine(served: Served) -> None:
    """The item's command is answered with null, and so is one that we do not know."""
    served.script(Rule(text="value"))
    (item,) = Document(served.client, "total = ‸\n").items()
    answer = served.client.request("workspace/executeCommand", {k: item["command"][k] for k in ("command", "arguments")})
    assert answer["result"] is None
    job = item["command"]["arguments"][0]["id"]
    served.engine.wait_for(lambda engine: any(o.id == job and o.accepted_chars == 5 for o in engine.outcomes), "the outcome")
    assert served.client.request("workspace/executeCommand", {"command": "dg.nothing"})["result"] is None


@pytest.mark.parametrize(
    ("marked", "trigger", "lines"),
    [
        ("x = ‸\n", AUTOMATIC, 1),
        ("x = ‸\n", INVOKED, 6),
        ("def f():\n    ‸\n", AUTOMATIC, 6),
        ("def f():‸\n", AUTOMATIC, 6),
        ("x = {‸\n", AUTOMATIC, 1),
    ],
)
def test_lines_asked_for(served: Served, marked: str, trigger: int, lines: int) -> None:
    """Several when invoked, on an empty line, behind a line that opens a block."""
    document = Document(served.client, marked)
    document.items(trigger)
    assert served.engine.jobs[-1].max_lines == lines
    assert served.engine.jobs[-1].trigger == ("automatic" if trigger == AUTOMATIC else "invoked")


def test_line_ends_are_lf_for_the_engine_and_in_the_answer(served: Served) -> None:
    """CR LF, lone CR, and characters that other tools take for line ends."""
    served.script(Rule(text="1\r\n    y = 2"))
    document = Document(served.client, "# \u2028 \x0c\r\ndef f():\r    x = ‸\r\n")
    (item,) = document.items()
    assert item["insertText"] == "1\n    y = 2"
    assert served.engine.jobs[-1].prefix == "# \u2028 \x0c\ndef f():\n    x = "
    assert served.engine.jobs[-1].suffix == "\n"


def test_documents_that_are_not_completed(served: Served) -> None:
    """Secrets, old versions, too large ones, unknown ones: an empty list and a reason."""
    client, jobs = served.client, len(served.engine.jobs)
    documents = {
        "secret": Document(client, "KEY = ‸\n", uri="file:///w/.env"),
        "`git:`": Document(client, "x = ‸\n", uri="git:/w/a.py?HEAD"),
        "too large": Document(client, "x = 1\n" * 1_500_000, uri="file:///w/large.py"),
    }
    for word, document in documents.items():
        assert document.items(wait=30) == []
        report = client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
        assert report["document"]["on"] is False
        assert word in report["document"]["reason"]
    params = {
        "textDocument": {"uri": "file:///never.py"},
        "position": {"line": 0, "character": 0},
        "context": {"triggerKind": 1},
    }
    assert client.request(METHOD, params)["result"] == []
    assert len(served.engine.jobs) == jobs


def test_languages_that_the_model_does_not_know(served: Served) -> None:
    """Nothing by itself, something when asked for by hand; the status says so either way."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x := ‸\n", uri="file:///w/a.go", language="go")
    jobs = len(served.engine.jobs)
    assert document.items(AUTOMATIC) == []
    assert len(served.engine.jobs) == jobs
    assert len(document.items(INVOKED)) == 1
    report = served.client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]["document"]
    assert report["on"] is True
    assert "does not know the language go" in report["reason"]


def test_too_many_lines(served: Served) -> None:
    """The other limit."""
    document = Document(served.client, "\n" * 200_001, uri="file:///w/lines.py")
    assert document.items() == []


def test_odd_places(served: Served) -> None:
    """An empty document, a place behind the end, a notebook cell, an unnamed document."""
    client = served.client
    served.script(Rule(text="value"))
    assert len(Document(client, "").items()) == 1
    document = Document(client, "a = 1\nb = '😀'\n")
    for line, character in ((0, 999), (99, 0), (2**31 - 1, 2**31 - 1)):
        params = {
            "textDocument": {"uri": document.uri},
            "position": {"line": line, "character": character},
            "context": {"triggerKind": 1},
        }
        (item,) = client.request(METHOD, params)["result"]
        assert item["range"]["start"] == item["range"]["end"]
        assert item["range"]["end"]["line"] == min(line, 2)
    for uri in ("untitled:Untitled-1", "vscode-notebook-cell:/w/a.ipynb#W0s"):
        assert len(Document(client, "x = ‸", uri=uri).items()) == 1


def test_inside_a_word(served: Served) -> None:
    """Nothing on Automatic, something when asked for."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = na‸me\n")
    assert document.items(AUTOMATIC) == []
    assert len(document.items(INVOKED)) == 1


def test_a_closed_document_is_not_completed_and_its_memory_is_freed(served: Served) -> None:
    """The engine hears of it."""
    document = Document(served.client, "x = ‸\n")
    document.items()
    document.close()
    assert document.items() == []
    served.engine.wait_for(lambda engine: document.uri in engine.released, "the release")


@pytest.mark.parametrize("as_array", [False, True])
def test_the_pop_ups_entry_is_extended(served: Served, as_array: bool) -> None:
    """The item replaces what the entry replaces, begins with the entry, and the engine saw the text as if it were chosen."""
    served.script(Rule(prefix_ends="os.path", text=".join(a, b)"))
    document = Document(served.client, "import os\nos.pa‸\n")
    start, end = document.position(document.cursor - 2), document.position(document.cursor)
    span = [start, end] if as_array else {"start": start, "end": end}
    (item,) = document.items(AUTOMATIC, selected={"range": span, "text": "path"})
    assert item["insertText"] == "path.join(a, b)"
    assert item["range"] == {"start": start, "end": end}
    assert document.accepted(item) == "import os\nos.path.join(a, b)\n"


def test_a_selection_over_lines_is_not_completed(served: Served) -> None:
    """An item replaces one line at most."""
    document = Document(served.client, "a = 1\nb = 2‸\n")
    span = {"start": {"line": 0, "character": 0}, "end": document.position(document.cursor)}
    assert document.items(selected={"range": span, "text": "a = 1\nb = 2"}) == []


@pytest.mark.parametrize("context", [{"triggerKind": 0}, {"triggerKind": 9}, {}, None, {"triggerKind": "1"}])
def test_lenient_context(served: Served, context: object) -> None:
    """Old numberings, no context, fields that we do not know."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    params = {
        "textDocument": {"uri": document.uri, "version": 1},
        "position": document.position(4),
        "formattingOptions": {"tabSize": 4},
    }
    params |= {} if context is None else {"context": context}
    assert len(served.client.request(METHOD, params)["result"]) == 1


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        [],
        {"textDocument": {"uri": 3}},
        {"textDocument": {"uri": "file:///a"}, "position": {"line": -1, "character": 0}},
    ],
)
def test_malformed_params_are_an_empty_list(served: Served, params: object) -> None:
    """An error would pop up in front of whoever types."""
    assert served.client.request(METHOD, params)["result"] == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_in_each_encoding(serve: Serve, encoding: str) -> None:
    """Ranges, and edits behind wide characters."""
    served = serve(Script(rules=[Rule(text="value")]), encodings=[encoding, "utf-16"])
    document = Document(served.client, 'x = "日本語😀" + ‸\r\n', encoding=encoding)
    (item,) = document.items()
    assert item["range"]["start"] == document.position(document.cursor)
    document.type("va")
    (item,) = document.items()
    assert item["insertText"] == "lue"
    document.edit(5, 9, "é😀")
    (item,) = document.items()
    assert served.engine.jobs[-1].prefix == 'x = "é😀" + va'
    assert item["range"]["end"] == document.position(document.cursor)


def test_a_failed_job_is_an_empty_list_with_its_reason(served: Served) -> None:
    """The sentence is the engine's."""
    served.script(Rule(fail="too_long", sentence="This is too long for the model."))
    document = Document(served.client, "x = ‸\n")
    assert document.items() == []
    report = served.client.request("dg/status", {"textDocument": {"uri": document.uri}})["result"]
    assert report["document"] == {"uri": document.uri, "on": True, "reason": "This is too long for the model."}


def test_several_by_hand_one_by_itself(served: Served) -> None:
    """The editor cycles through what was asked for by hand."""
    document = Document(served.client, "x = ‸\n")
    document.items(AUTOMATIC)
    assert served.engine.jobs[-1].candidates == 1
    document.edit(0, 1, "y")
    document.items(INVOKED)
    assert served.engine.jobs[-1].candidates == 3


def test_asked_again_by_hand_it_is_something_else(served: Served) -> None:
    """Another seed each time, until something changes; what the editor asks by itself comes from memory."""
    served.script(Rule(text="value"))
    document = Document(served.client, "x = ‸\n")
    seeds = []
    for _ in range(3):
        document.items(INVOKED)
        seeds.append(served.engine.jobs[-1].seed)
    jobs = len(served.engine.jobs)
    document.items(AUTOMATIC)
    assert len(served.engine.jobs) == jobs
    document.edit(0, 1, "y")
    document.items(INVOKED)
    assert [*seeds, served.engine.jobs[-1].seed] == [0, 1, 2, 0]


def test_a_file_whose_name_holds_an_escape(served: Served) -> None:
    """It is another file than the one that the escape stands for."""
    served.script(Rule(document="a%20b.py", text="escaped"), Rule(document="a b.py", text="blank"))
    plain = Document(served.client, "x = ‸\n", uri="file:///w/a%20b.py")
    escaped = Document(served.client, "y = ‸\n", uri="file:///w/a%2520b.py")
    assert [item["insertText"] for item in escaped.items()] == ["escaped"]
    assert [item["insertText"] for item in plain.items()] == ["blank"]
    escaped.type("z")
    assert len(escaped.items()) == 1
    report = served.client.request("dg/status", {"textDocument": {"uri": escaped.uri}})["result"]["document"]
    assert (report["on"], report["reason"]) == (True, "")


def test_asked_by_hand_where_one_line_is_shown(served: Served) -> None:
    """Several are wanted then: what is remembered of an automatic request is no answer."""
    served.script(Rule(text="a = 1\n    b = 2"))
    document = Document(served.client, "def f(x):\n    return ‸\n")
    assert [item["insertText"] for item in document.items(AUTOMATIC)] == ["a = 1"]
    jobs = len(served.engine.jobs)
    assert [item["insertText"] for item in document.items(INVOKED)] == ["a = 1\n    b = 2"]
    assert [job.max_lines for job in served.engine.jobs[jobs:]] == [6]
