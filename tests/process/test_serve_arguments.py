"""What `engine serve` says to words that make no sense."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dg_engine.process.spawn import engine_command

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--memory-limit-gb", "inf"], "must be from 0 to 1e+06"),
        (["--memory-limit-gb", "1e300"], "must be from 0 to 1e+06"),
        (["--idle-minutes", "abc"], "'abc' is no number"),
        (["--fd", "-1"], "no whole number from 0 on"),
        (["--fd", "999"], "Descriptor 999 is no connected socket"),
        (["--threads", "9" * 5000], "no whole number"),
        (["--token-file", "BINARY"], "is no text"),
        (["--token-file", "EMPTY"], "is empty"),
        (["--token-file", "/nowhere/token"], "The token file /nowhere/token cannot be read"),
        (["--log-file", "/nowhere/log"], "The log file /nowhere/log cannot be written"),
        (["--socket", "LONG"], "AF_UNIX path too long"),
    ],
)
def test_odd_command_lines(home: Path, words: list[str], says: str) -> None:
    """One sentence each, which names what is wrong."""
    binary = home / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    (home / "empty").write_text("\nsecond line\n", encoding="utf-8")
    stands_for = {"BINARY": str(binary), "EMPTY": str(home / "empty"), "LONG": str(home / ("x" * 150))}
    command = [*engine_command([]), *(stands_for.get(word, word) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in {1, 2}
    assert says in done.stderr
    assert "Traceback" not in done.stderr
