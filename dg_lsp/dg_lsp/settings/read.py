"""From a tree that a client sent to typed settings."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, get_type_hints

import msgspec

from dg_lsp.settings.model import Settings
from dg_lsp.settings.option import Option, Section

SECTION: Final = "dgLsp"
Tree = Mapping[str, Any]

_FOREIGN: Final = frozenset({"status", "drafts", "trace", "server"})
"""Switches of initializationOptions, and what editors' extensions keep for themselves in our section."""


def tree_of(value: object) -> Tree:
    """The settings tree inside what a client sent: with our section's name around it or without; empty when there is none."""
    if not isinstance(value, Mapping):
        return {}
    inner = value.get(SECTION)
    return inner if isinstance(inner, Mapping) else value


def merge(base: Tree, over: Tree) -> dict[str, Any]:
    """`base` with the values of `over` laid on top, section by section; null is how editors say "not set"."""
    merged = dict(base)
    for key, value in over.items():
        if value is None:
            continue
        old = merged.get(key)
        sections = key in sections_by_name() and isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = merge(old, value) if sections and isinstance(old, Mapping) else value
    return merged


@cache
def sections_by_name() -> dict[str, type[Section]]:
    """The sections under their names on the wire."""
    return {one.encode_name: one.type for one in msgspec.structs.fields(Settings)}


@cache
def options_of(section: type[Section]) -> dict[str, tuple[str, Any, Option]]:
    """A section's options by their names on the wire: attribute, annotated type, what it says about itself."""
    hints = get_type_hints(section, include_extras=True)
    found = {}
    for one in msgspec.structs.fields(section):
        hint = hints[one.name]
        (option,) = (mark for mark in hint.__metadata__ if isinstance(mark, Option))
        found[one.encode_name] = (one.name, hint, option)
    return found


@dataclass(slots=True)
class Faults:
    """Sentences for the user: values that did not fit and kept their defaults, and names that are no settings of ours."""

    values: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def given(tree: Tree, section: str) -> object:
    """What a tree says of a section; the log's level alone may stand for its section."""
    value = tree.get(section)
    return {"level": value} if section == "log" and isinstance(value, str) else value


def read(tree: Tree) -> tuple[Settings, Faults]:
    """Typed settings, and what was wrong with the tree."""
    faults, found = Faults(), {}
    for name, kind in sections_by_name().items():
        found[name] = _section(kind, given(tree, name), name, faults)
    faults.names.extend(_unknown(name) for name in tree if name not in found and name not in _FOREIGN)
    return Settings(**found), faults


def _section(kind: type[Section], values: object, name: str, faults: Faults) -> Any:
    if values is None:
        return kind()
    where = f"{SECTION}.{name}"
    if not isinstance(values, Mapping):
        faults.values.append(f"{where} must be an object; its defaults are used.")
        return kind()
    good: dict[str, Any] = {}
    for key, value in values.items():
        if (known := options_of(kind).get(key)) is None:
            faults.names.append(_unknown(f"{name}.{key}"))
            continue
        if value is None:
            continue
        try:
            good[known[0]] = msgspec.convert(value, known[1])
        except msgspec.ValidationError as error:
            faults.values.append(f"{where}.{key}: {str(error).rstrip('.')}; its default is used.")
        except UnicodeEncodeError:
            faults.values.append(f"{where}.{key}: it holds half a character; its default is used.")
    return kind(**good)


def _unknown(name: str) -> str:
    """What to say about a name that is none of ours: the same option in another section or spelling first, then the nearest one."""
    full = {one.lower(): one for one in _names()}
    last = {one.rpartition(".")[2]: one for one in full}
    wanted = name.lower()
    word = wanted.rpartition(".")[2].replace("_", "")
    near = last.get(word) or next(iter(difflib.get_close_matches(wanted, full, n=1, cutoff=0.75)), None)
    if near is None:
        near = last.get(next(iter(difflib.get_close_matches(word, last, n=1, cutoff=0.75)), ""))
    sentence = f"Unknown setting {SECTION}.{name[:80]}."
    return f"{sentence} Did you mean {SECTION}.{full[near]}?" if near is not None else sentence


def _names() -> Iterator[str]:
    for name, kind in sections_by_name().items():
        yield name
        yield from (f"{name}.{key}" for key in options_of(kind))
