"""Options of the machine from the environment: DG_LSP_ENGINE_SOCKET is `engine.socket`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dg_lsp.settings.read import options_of, sections_by_name


def variables() -> Iterator[tuple[str, str, str]]:
    """Every variable that is looked at, with the section and the option that it sets."""
    for section, kind in sections_by_name().items():
        for key, (_, _, option) in options_of(kind).items():
            if option.scope == "machine":
                yield variable(section, key), section, key


def variable(section: str, key: str) -> str:
    """The name of an option's variable."""
    return "DG_LSP_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", f"{section}_{key}").upper()


def tree_from(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The settings tree that these variables make; empty ones count as not set. Values that do not fit stay words, to be told."""
    tree: dict[str, dict[str, Any]] = {}
    for name, section, key in variables():
        if word := environment.get(name):
            tree.setdefault(section, {})[key] = _value(word, options_of(sections_by_name()[section])[key][1])
    return tree


def _value(word: str, kind: Any) -> Any:
    try:
        return msgspec.to_builtins(msgspec.convert(word, kind, strict=False))
    except (msgspec.ValidationError, UnicodeEncodeError):
        return word
