"""What holds for all tests: folders of their own, no hub, one piece each, and no silent skip in CI."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from dg_bench.drive.user_folders import user_folders

APART = ("e2e", "parity", "slow")
OF_SERVERS = "environment"
WHOLE = ("kernels", "bench")
FIT_REASONS = ("needs a GPU", "needs DG_EVAL")
IN_CI = bool(os.environ.get("CI"))

# Set before any test module is read: some libraries look at import time.
os.environ["HF_HUB_OFFLINE"] = "1"
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if IN_CI else "here")


@pytest.fixture(scope="session", autouse=True)
def _folders_of_the_session() -> Iterator[Path]:
    """For what outlives one test. A path short enough for a socket in it."""
    root = Path(tempfile.mkdtemp(prefix="dg"))
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in user_folders(root / "s").items():
            patch.setenv(name, folder)
        yield root
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(autouse=True)
def _folders_of_the_test(_folders_of_the_session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(tempfile.mkdtemp(prefix="t", dir=_folders_of_the_session))
    for name, folder in user_folders(root / "x").items():
        monkeypatch.setenv(name, folder)


def area(item: pytest.Item) -> str:
    """The folder under tests/ that an item lies in."""
    return item.path.relative_to(Path(__file__).parent).parts[0]


def is_unit(item: pytest.Item) -> bool:
    """Whether a test is a quick one; each other runs in the piece of its folder."""
    apart = OF_SERVERS in getattr(item, "fixturenames", ()) or any(item.get_closest_marker(name) for name in APART)
    return area(item) not in WHOLE and not apart


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick ones."""
    for item in items:
        if is_unit(item):
            item.add_marker("unit")
        elif area(item) == "packaging":
            raise pytest.UsageError(f"{item.nodeid}: a test in tests/packaging has to be a quick one.")


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """In CI what is skipped for want of a tool is a failure: a green run has run everything it can."""
    if not IN_CI or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(FIT_REASONS):
        report.outcome = "failed"
        report.longrepr = f"Skipped in CI, where only {' and '.join(FIT_REASONS)} may be: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skips of tests."""
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skips of whole files."""
    report = yield
    refuse_skip(report)
    return report
