"""Whether a distribution's metadata shows a permissive licence: a parsed SPDX expression and its classifiers, against one list."""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import PackageMetadata

ALLOWED = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "HPND", "ISC", "MIT", "MIT-0"}
    | {"MIT-CMU", "PSF-2.0", "Python-2.0", "Unlicense", "WTFPL", "ZPL-2.1", "Zlib"}
)

CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
    "License :: OSI Approved :: zlib/libpng License": "Zlib",
    "License :: OSI Approved :: The Unlicense (Unlicense)": "Unlicense",
    "License :: OSI Approved :: Zope Public License": "ZPL-2.1",
}
"""What permissive classifiers mean."""

WRITTEN = {
    "mit": "MIT",
    "mit license": "MIT",
    "the mit license": "MIT",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "3-clause bsd": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache license version 2.0": "Apache-2.0",
}
"""The free `License` field as people fill it in."""

_TOKEN = re.compile(r"\s*(\(|\)|[A-Za-z0-9.+-]+)")


def allowed(expression: str) -> bool:
    """Whether an SPDX expression permits use under allowed licences alone. Raises ValueError where it cannot be parsed."""
    tokens = _tokens(expression)
    value, rest = _either(tokens)
    if rest:
        raise ValueError(expression)
    return value


def verdict(metadata: PackageMetadata | Message) -> tuple[str, str]:
    """(licence, "") of a distribution that passes, else ("", reason). Expression and classifiers must agree where both are given."""
    classifiers = [
        c for c in metadata.get_all("Classifier") or [] if c.startswith("License ::") and c != "License :: OSI Approved"
    ]
    refused = [c for c in classifiers if c not in CLASSIFIERS]
    if refused:
        return "", refused[0]
    expression = _expression(metadata)
    if expression:
        try:
            return (expression, "") if allowed(expression) else ("", expression)
        except ValueError:
            return "", f"not understood: {expression}"
    named = sorted({CLASSIFIERS[c] for c in classifiers})
    return (" AND ".join(named), "") if named else ("", "no licence given")


def _expression(metadata: PackageMetadata | Message) -> str:
    """The SPDX expression, or what the older free field plainly means."""
    given = str(metadata.get_all("License-Expression", [""])[0])  # type: ignore[index]  # a list, since a default is given
    if given:
        return given
    free = str((metadata.get_all("License") or [""])[0]).strip()
    if "\n" in free or len(free) > 60:  # a whole licence text: judged by classifiers
        return ""
    if free.lower() in WRITTEN:
        return WRITTEN[free.lower()]
    return free if free in ALLOWED or re.search(r"GPL|MPL|EPL|CDDL|propriet|commercial", free, re.IGNORECASE) else ""


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(text)
        tokens.append(match[1])
        at = match.end()
    return tokens


def _either(tokens: list[str]) -> tuple[bool, list[str]]:
    value, rest = _both(tokens)
    while rest and rest[0].upper() == "OR":
        other, rest = _both(rest[1:])
        value = value or other
    return value, rest


def _both(tokens: list[str]) -> tuple[bool, list[str]]:
    value, rest = _one(tokens)
    while rest and rest[0].upper() == "AND":
        other, rest = _one(rest[1:])
        value = value and other
    return value, rest


def _one(tokens: list[str]) -> tuple[bool, list[str]]:
    if not tokens or tokens[0] == ")" or tokens[0].upper() in {"AND", "OR", "WITH"}:
        raise ValueError(tokens)
    if tokens[0] == "(":
        value, rest = _either(tokens[1:])
        if not rest or rest[0] != ")":
            raise ValueError(tokens)
        return value, rest[1:]
    name, rest = tokens[0], tokens[1:]
    if rest and rest[0].upper() == "WITH":  # an exception only adds permissions
        rest = rest[2:]
    return name in ALLOWED, rest
