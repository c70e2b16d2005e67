"""What a fresh interpreter brings with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "transformers", "numpy", "tokenizers", "safetensors")
COMMAND_LINE = ("typer", "click", "rich", "tree_sitter", "httpx", "httpx2", "psutil")
ALL_MESSAGES = "from dg_engine.messages import *; import dg_engine.process.wire, dg_engine.process.spawn"


def fresh(code: str, folder: Path) -> str:
    """Output of `code` in a new interpreter, in a folder that is not the root."""
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def loaded(statement: str, names: tuple[str, ...], folder: Path) -> list[str]:
    """Which of `names` an import statement brings."""
    return fresh(f"{statement}\nimport sys\nprint(*(n for n in {names!r} if n in sys.modules))", folder).split()


@pytest.mark.parametrize(
    "statement",
    ["import dg_lsp.server", "import dg_lsp.serving", "import dg_lsp.cli", ALL_MESSAGES, "import dg_engine.loading"],
)
def test_no_torch(statement: str, tmp_path: Path) -> None:
    assert loaded(statement, HEAVY, tmp_path) == []


def test_every_message_goes_over_the_wire_without_torch(tmp_path: Path) -> None:
    code = """
import sys, typing
from dg_engine import messages
kinds = typing.get_args(messages.AnyMessage)
defined = {k for k in vars(messages).values() if isinstance(k, type) and issubclass(k, messages.Message)} - {messages.Message}
print(set(kinds) == defined, len(kinds) == len(defined), "torch" in sys.modules, "transformers" in sys.modules)
"""
    assert fresh(code, tmp_path) == "True True False False"


@pytest.mark.parametrize("statement", ["import dg_lsp.server", "import dg_lsp.serving", "import dg_lsp.cli"])
def test_serving_brings_no_command_line(statement: str, tmp_path: Path) -> None:
    assert loaded(statement, COMMAND_LINE, tmp_path) == []


def test_a_start_waits_for_nothing_that_only_completions_need(tmp_path: Path) -> None:
    """They come in once `initialize` has been answered."""
    later = ("dg_lsp.requests.completions", "dg_lsp.shaping.pipeline", "dg_lsp.engine_client.client")
    assert loaded("import dg_lsp.serving", later, tmp_path) == []


@pytest.mark.parametrize("name", ["kernels", "engine", "benchmarks"])
def test_names_of_others_are_left_alone(name: str, tmp_path: Path) -> None:
    """transformers looks up Hugging Face's `kernels` by name."""
    assert fresh(f"import importlib.util; print(importlib.util.find_spec({name!r}))", tmp_path) == "None"
