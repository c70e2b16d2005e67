"""What the bare command line means, and FILE:LINE:COL."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dg_lsp.cli.arguments import Mode, mode, serve_options
from dg_lsp.cli.failure import CommandError
from dg_lsp.cli.place import Place, parse_place, read_sides


@pytest.mark.parametrize(
    ("arguments", "terminal", "expected"),
    [
        ([], False, Mode.SERVE),
        ([], True, Mode.HELP),
        (["--stdio"], True, Mode.SERVE),
        (["--node-ipc"], False, Mode.SERVE),
        (["--clientProcessId=7", "--stdio"], True, Mode.SERVE),
        (["complete", "a.py:1:1"], False, Mode.COMMAND),
        (["--version"], False, Mode.COMMAND),
        (["--help"], False, Mode.COMMAND),
    ],
)
def test_mode(arguments: list[str], *, terminal: bool, expected: Mode) -> None:
    assert mode(arguments, terminal=terminal) is expected


def test_options_of_serving_and_those_that_nobody_knows() -> None:
    options = serve_options(
        [
            "--stdio",
            "--clientProcessId",
            "12",
            "--log-file=/tmp/x.log",
            "--node-ipc",
            "--socket=3",
            "--model",
            "m",
            "--engine-socket",
            "/s",
        ]
    )
    assert options.client_process_id == 12
    assert options.log_file == Path("/tmp/x.log")  # noqa: S108 - a name only
    assert options.model == str(Path("m").absolute())
    assert options.engine_socket == "/s"
    assert options.unknown == ["--node-ipc", "--socket=3"]


@pytest.mark.parametrize("arguments", [["--clientProcessId", "many"], ["--clientProcessId"], ["--log-file"], ["--model="]])
def test_a_value_that_makes_no_sense_is_logged_and_not_fatal(arguments: list[str]) -> None:
    options = serve_options(arguments)
    assert len(options.unknown) == 1
    assert (options.client_process_id, options.log_file, options.model) == (None, None, None)


@given(
    name=st.text(min_size=1, alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    line=st.integers(1),
    column=st.integers(1),
)
def test_a_place_is_split_from_the_right(name: str, line: int, column: int) -> None:
    place = parse_place(f"{name}:{line}:{column}")
    assert (place.line, place.column, place.file) == (line, column, Path(name))


@pytest.mark.parametrize("text", ["a.py", "a.py:1", "a.py:0:1", "a.py:1:0", "a.py:x:1", ":1:1", "a.py:1:-1", "a.py:1:²"])
def test_what_is_no_place(text: str) -> None:
    with pytest.raises(CommandError, match="is not FILE:LINE:COL") as error:
        parse_place(text)
    assert error.value.code == 2


def test_columns_count_characters_and_line_ends_are_lf(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes('x = "日本語😀"\r\ny = 1\rz = 2\n'.encode())
    sides = read_sides(Place(file, 1, 10))
    assert sides.prefix == 'x = "日本語😀'
    assert sides.suffix == '"\ny = 1\nz = 2\n'
    assert read_sides(Place(file, 4, 1)).suffix == ""


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [(9, 1, "has 2 lines, line 9"), (1, 99, "has 5 characters, column 99"), (2, 2, "has 0 characters")],
)
def test_a_place_outside_the_file(tmp_path: Path, line: int, column: int, says: str) -> None:
    file = tmp_path / "a.py"
    file.write_text("a = 1\n", "utf-8")
    with pytest.raises(CommandError, match=says):
        read_sides(Place(file, line, column))


def test_files_that_cannot_be_completed(tmp_path: Path) -> None:
    binary = tmp_path / "b.bin"
    binary.write_bytes(b"\xff\xfe\x00")
    large = tmp_path / "large.py"
    with large.open("wb") as file:
        file.truncate(9 * 1024 * 1024)
    for path, says in (
        (tmp_path / "none.py", "does not exist"),
        (tmp_path, "is a folder"),
        (binary, "not UTF-8"),
        (large, "larger than 8 MB"),
    ):
        with pytest.raises(CommandError, match=says):
            read_sides(Place(path, 1, 1))
