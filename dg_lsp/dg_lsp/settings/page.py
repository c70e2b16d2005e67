"""docs/configuration.md, from the options themselves: `python -m dg_lsp.settings.page > docs/configuration.md`.

With a file's name it writes nothing, and fails when the file says something else.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from dg_lsp.settings.environment import variable
from dg_lsp.settings.option import Section
from dg_lsp.settings.read import options_of, sections_by_name

_HEAD: Final = """# Configuration

<!-- Generated from the options: `make pages` writes this page anew. -->

All options lie in the section `dgLsp` of your editor's configuration; `initializationOptions` hold the same tree without that name.
They take effect at once. A value that does not fit keeps its default and is told once; so is a name that nobody knows, with the
nearest one.

```json
{"dgLsp": {"completion": {"maxLines": 3, "languages": {"markdown": "off"}}, "exclude": {"globs": ["fixtures/"]}}}
```

Options of scope *machine* hold for the whole server. A workspace folder that sets one to something else is refused and told, so that
a repository can not choose where your code goes; set them for your user, in `initializationOptions`, in the environment, or on the
command line (`--model`, `--engine-socket`, `--engine-token-file`). Options of scope *resource* may differ from folder to folder: the
editor is asked for each.

What outranks what, from the weakest: the default, `initializationOptions`, the editor's configuration, its answer for the document's
folder, the environment, the command line.
"""

_NAMES: Final = {bool: "`true` or `false`", int: "whole number", float: "number", str: "text"}


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(line for name, kind in sections_by_name().items() for line in _section(name, kind))])


def _section(name: str, kind: type[Section]) -> Iterator[str]:
    yield f"## `{name}`\n"
    yield f"{(kind.__doc__ or '').strip()}\n"
    yield "| option | values | default | scope | what it does |"
    yield "|---|---|---|---|---|"
    for key, (attribute, hint, option) in options_of(kind).items():
        default = json.dumps(msgspec.to_builtins(getattr(kind(), attribute)))
        scope = "machine<br>`" + variable(name, key) + "`" if option.scope == "machine" else "resource"
        cells = (f"`{key}`", _values(hint), "not set" if default == "null" else f"`{default}`", scope, option.sentence)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _values(hint: Any) -> str:
    """What may stand there, for people."""
    origin = get_origin(hint)
    if origin is Annotated:
        kind, *marks = get_args(hint)
        bounds = [text for mark in marks if isinstance(mark, msgspec.Meta) for text in _bounds(mark)]
        return " ".join([_values(kind), *bounds])
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    if origin in {Union, types.UnionType}:
        return " or ".join(_values(part) for part in get_args(hint) if part is not type(None))
    if origin is list:
        return "list of patterns"
    if origin is dict:
        return f"object: name → {_values(get_args(hint)[1])}"
    return _NAMES[hint]


def _bounds(meta: msgspec.Meta) -> Iterator[str]:
    if meta.gt is not None:
        yield f"above {meta.gt:g}"
    if meta.ge is not None:
        yield f"from {meta.ge:g}"
    if meta.le is not None:
        yield f"to {meta.le:g}"


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.stdout.write(page())
    elif Path(sys.argv[1]).read_text(encoding="utf-8") != page():
        raise SystemExit(f"{sys.argv[1]} is stale: run `make pages`.")
