"""From what a client sends to typed settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from dg_lsp.settings.model import CompletionSettings, EngineSettings, LogSettings, Settings

SECTION = "dgLsp"
Tree = Mapping[str, Any]
S = TypeVar("S", bound=msgspec.Struct)

_FOREIGN = frozenset({"status", "drafts"})  # switches of initializationOptions that are no settings


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
        old = merged.get(key)
        if value is None:
            continue
        merged[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


@dataclass(slots=True)
class Faults:
    """Sentences for the user: values that did not fit and kept their defaults, and names that are no settings of ours."""

    values: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def read(tree: Tree) -> tuple[Settings, Faults]:
    """Typed settings, and what was wrong with the tree."""
    faults = Faults()
    settings = Settings(
        engine=_section(EngineSettings, tree.get("engine"), "engine", faults),
        completion=_section(CompletionSettings, tree.get("completion"), "completion", faults),
        log=_section(LogSettings, {"level": level} if isinstance(level := tree.get("log"), str) else level, "log", faults),
    )
    known = {one.encode_name for one in msgspec.structs.fields(Settings)} | _FOREIGN
    faults.names.extend(f"Unknown setting {SECTION}.{name}." for name in tree if name not in known)
    return settings, faults


def _section(kind: type[S], values: object, name: str, faults: Faults) -> S:
    if values is None:
        return kind()
    where = f"{SECTION}.{name}"
    if not isinstance(values, Mapping):
        faults.values.append(f"{where} must be an object; its defaults are used.")
        return kind()
    fields = {one.encode_name: one for one in msgspec.structs.fields(kind)}
    good: dict[str, Any] = {}
    for key, value in values.items():
        if (known := fields.get(key)) is None:
            faults.names.append(f"Unknown setting {where}.{key}.")
            continue
        try:
            good[known.name] = msgspec.convert(value, known.type)
        except msgspec.ValidationError as error:
            if value is not None:
                faults.values.append(f"{where}.{key}: {str(error).rstrip('.')}; its default is used.")
        except UnicodeEncodeError:
            faults.values.append(f"{where}.{key}: it holds half a character; its default is used.")
    return kind(**good)
