"""Gather permissively licensed Python into one file: `corpus.py OUT [--site FOLDER …]`.

Reads this interpreter's standard library and those distributions of the site-packages folders that packages.txt names and whose licence
passes. Writes texts.npz (`data`: UTF-8 of all files; `ends`: end offset of each), paths.json and manifest.json.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import random
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from licences import verdict

HELD_OUT = frozenset(
    {"click", "flask", "werkzeug", "jinja2", "requests", "pygls"}
    | {"textwrap", "configparser", "calendar", "statistics", "shelve", "sched", "cmd", "csv", "fractions", "colorsys"}
    | {"fnmatch", "shlex"}
)
"""Never trained on, wherever a path holds the name: packages for fills, standard modules for repairs and demos."""

CAP = 4_000_000
"""Characters taken of one distribution: breadth rather than much of one hand."""

SCIENTIFIC_CAP = 1_500_000
SCIENTIFIC = frozenset({"sympy", "networkx", "pandas", "scikit-learn", "dask", "kubernetes", "moto", "libcst"})
"""Further from everyday code, or generated in part."""

STANDARD_CAP = 12_000_000
LEFT_OUT = frozenset({"site-packages", "lib2to3", "encodings", "idlelib", "__pycache__", "_vendor", "vendored", "node_modules"})
"""Folders of no use here: generated tables, and copies of other people's packages under other licences."""

TEST_SHARE = 0.3
"""Tests are repetitive: only so many of their files."""


@dataclass
class Source:
    """Where texts come from, for the manifest."""

    name: str
    version: str
    licence: str
    files: int = 0
    characters: int = 0
    texts: list[tuple[str, str]] = field(default_factory=list)
    """Path and text."""


def normal(name: str) -> str:
    """A distribution's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_held_out(path: Path) -> bool:
    """Whether any component of a path is a held-out name, or the test of one."""
    parts = {part.removesuffix(".py") for part in path.parts}
    return bool(HELD_OUT & (parts | {part.removeprefix("test_") for part in parts} | {part.lower() for part in parts}))


def is_ordinary(text: str) -> bool:
    """Whether a text reads like source that somebody wrote: no tables, no minified or generated lines."""
    lines = text.splitlines()
    if not 300 < len(text) < 200_000 or max(map(len, lines)) > 300 or len(text) / len(lines) > 70:
        return False
    return sum(map(str.isdigit, text)) < 0.12 * len(text) and sum(ord(c) > 127 for c in text) < 0.02 * len(text)


def clean(path: Path) -> str | None:
    """A file's text without its licence banner, or None where it is no ordinary source."""
    try:
        text = path.read_text("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        return None
    if "\r" in text or not is_ordinary(text):
        return None
    text = text.expandtabs(4)
    banner = re.match(r"(?:#[^\n]*\n)+", text)
    if banner and re.search("icense|opyright", banner[0]):
        text = text[banner.end() :].lstrip("\n")
    return text if "do not edit" not in text[:600].lower() and "@generated" not in text[:600] else None


def gather(source: Source, root: Path, files: list[Path], *, cap: int, rng: random.Random, seen: set[int]) -> None:
    """Add a source's files in random order until it is full; texts met before are left out."""
    files = sorted(files)
    rng.shuffle(files)
    for file in files:
        relative = file.relative_to(root)
        if is_held_out(relative) or LEFT_OUT & set(relative.parts) or source.characters > cap:
            continue
        is_test = {"test", "tests"} & set(relative.parts) or file.name.startswith("test_")
        if is_test and rng.random() > TEST_SHARE:
            continue
        text = clean(file)
        if text is None or (key := hash(re.sub(r"\s+", " ", text))) in seen:
            continue
        seen.add(key)
        source.texts.append((relative.as_posix(), text))
        source.files += 1
        source.characters += len(text)


def standard_library(rng: random.Random, seen: set[int]) -> Source:
    """The interpreter's own modules (PSF licence)."""
    root = Path(sysconfig.get_paths()["stdlib"])
    source = Source("python standard library", sysconfig.get_python_version(), "PSF-2.0")
    gather(source, root, list(root.rglob("*.py")), cap=STANDARD_CAP, rng=rng, seen=seen)
    return source


def distributions(sites: list[Path], wanted: set[str]) -> Iterator[importlib.metadata.Distribution]:
    """Wanted distributions of some folders, by name."""
    found = {normal(d.metadata["Name"]): d for d in importlib.metadata.distributions(path=[str(site) for site in sites])}
    for name in sorted(wanted & found.keys() - HELD_OUT):
        yield found[name]


def packages(sites: list[Path], wanted: set[str], rng: random.Random, seen: set[int]) -> tuple[list[Source], dict[str, str]]:
    """Sources of all wanted distributions whose licence passes, and why the others do not."""
    sources, refused = [], {}
    for found in distributions(sites, wanted):
        name = normal(found.metadata["Name"])
        licence, reason = verdict(found.metadata)
        if reason:
            refused[name] = reason
            continue
        root = Path(str(found.locate_file("")))
        files = [root / file for file in found.files or [] if file.suffix == ".py" and ".." not in file.parts]
        source = Source(name, found.version, licence)
        gather(source, root, files, cap=SCIENTIFIC_CAP if name in SCIENTIFIC else CAP, rng=rng, seen=seen)
        sources.append(source)
    return sources, refused


def write(out: Path, sources: list[Source], refused: dict[str, str], rng: random.Random) -> None:
    """Texts in one random order, their paths, and what they are."""
    texts = [item for source in sources for item in source.texts]
    rng.shuffle(texts)
    raw = [text.encode() for _, text in texts]
    np.savez(out / "texts.npz", data=np.frombuffer(b"".join(raw), np.uint8), ends=np.cumsum([len(b) for b in raw]))
    (out / "paths.json").write_text(json.dumps([path for path, _ in texts]))
    rows = [
        {"name": s.name, "version": s.version, "licence": s.licence, "files": s.files, "characters": s.characters}
        for s in sources
    ]
    total = {"files": len(texts), "bytes": sum(map(len, raw))}
    tree = {"total": total, "held_out": sorted(HELD_OUT), "sources": rows, "refused": refused}
    (out / "manifest.json").write_text(json.dumps(tree, indent=1) + "\n")
    print(f"{len(texts)} files of {len(sources)} sources, {total['bytes'] / 1e6:.1f} MB; refused: {refused}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--site", type=Path, action="append", default=[])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng, seen = random.Random(options.seed), set[int]()
    named = (Path(__file__).parent / "packages.txt").read_text().split()
    standard = standard_library(rng, seen)
    others, refused = packages(options.site, {normal(name) for name in named}, rng, seen)
    write(options.out, [standard, *others], refused, rng)


if __name__ == "__main__":
    main()
