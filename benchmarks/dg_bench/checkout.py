"""Where the harness was started from: a checkout keeps records, an installed package has no place for them."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def root() -> Path | None:
    """The checkout's folder; None for an installed package, also when its environment lies inside of some repository."""
    is_ours = (_ROOT / "pyproject.toml").is_file() and (_ROOT / "benchmarks" / "dg_bench").is_dir()
    return _ROOT if is_ours else None


def results() -> Path | None:
    """Where a checkout keeps its records."""
    checkout = root()
    return None if checkout is None else checkout / "benchmarks" / "results"
