"""What `doctor` looks at: each check gives one row, and what to do when something is missing."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from dg_engine.errors import EngineError, ModelError
from dg_engine.loading import ModelFolder, builtin_folder, open_folder
from dg_engine.messages import FillJob
from dg_engine.paths import absolute
from dg_engine.process.places import log_folder, socket_folder
from dg_lsp import __version__
from dg_lsp.cli.engines import engine
from dg_lsp.cli.failure import CommandError

Verdict = Literal["ok", "note", "missing"]


@dataclass(frozen=True)
class Check:
    """One row. `advice` says what to do, empty when there is nothing to do."""

    name: str
    value: str
    verdict: Verdict = "ok"
    advice: str = ""

    @property
    def line(self) -> str:
        """As plain text."""
        return f"{self.verdict:8}{self.name}: {self.value}" + (f" -> {self.advice}" if self.advice else "")


def all_checks(model: Path | None) -> Iterator[Check]:
    """Every check, cheap ones first; the last one completes something with a real engine."""
    yield Check("dg-lsp", __version__)
    yield _python()
    yield Check("platform", platform.platform(), *_untested_platform())
    packages = [_package(name) for name in ("torch", "transformers", "tokenizers", "safetensors")]
    yield from packages
    folder = yield from _model(model)
    yield from _folders()
    if folder is None or any(check.verdict == "missing" for check in packages):
        return
    yield from _device(folder)
    yield _answer(model)


def _python() -> Check:
    return Check("Python", f"{platform.python_version()} ({sys.executable})")


def _untested_platform() -> tuple[Verdict, str]:
    return ("ok", "") if sys.platform == "linux" else ("note", "Only Linux is tested.")


def _package(name: str) -> Check:
    if find_spec(name) is None:
        return Check(name, "not installed", "missing", "pip install 'dg-lsp[engine]'")
    return Check(name, importlib.metadata.version(name))


def _model(model: Path | None) -> Generator[Check, None, ModelFolder | None]:
    path = absolute(model) if model else builtin_folder()
    try:
        folder = open_folder(path)
    except ModelError as error:
        yield Check("model", str(path), "missing", str(error))
        return None
    kind = "built-in starter, Python only" if model is None else "given with --model"
    yield Check("model", f"{path} ({kind}; {folder.network.parameters / 1e6:.1f} M parameters)")
    return folder


def _folders() -> Iterator[Check]:
    """Where sockets and logs lie."""
    try:
        yield Check("socket folder", str(socket_folder()))
        yield Check("log folder", str(log_folder()))
    except EngineError as error:
        yield Check("folders", "cannot be used", "missing", str(error))


def _device(folder: ModelFolder) -> Iterator[Check]:
    import torch  # noqa: PLC0415 - only where it is installed

    from dg_engine.loading.device import check_fits, choose_device, choose_dtype, free_bytes  # noqa: PLC0415 - brings torch

    device = choose_device("auto")
    dtype = choose_dtype("auto", device)
    free = free_bytes(device)
    known = "" if free is None else f", {free / 1e9:.1f} GB free"
    cuda = "with CUDA" if torch.cuda.is_available() else "without CUDA"
    yield Check("device", f"{device}, {str(dtype).removeprefix('torch.')} (torch {cuda}{known})")
    try:
        check_fits(folder.network, device, dtype)
    except ModelError as error:
        yield Check("memory", "too little", "missing", str(error))
    else:
        yield Check("memory", f"about {folder.network.parameters * dtype.itemsize / 1e6:.0f} MB for the weights")


def _answer(model: Path | None) -> Check:
    """A real completion: what nothing else proves."""
    job = FillJob(id=1, document="doctor", prefix="import os\n\n\ndef exists(path):\n    return os.path.", suffix="\n")
    started = time.monotonic()
    try:
        with engine(model) as fill:
            loaded = time.monotonic()
            completion, _ = fill(job)
    except CommandError as error:
        return Check("completion", "failed", "missing", str(error))
    answered = time.monotonic()
    passes = completion.candidates[0].passes
    return Check(
        "completion", f"loaded in {loaded - started:.1f} s, answered in {(answered - loaded) * 1000:.0f} ms, {passes} passes"
    )
