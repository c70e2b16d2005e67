"""One key for every spelling of a URI: clients do not agree on how to write it (RFC 3986, section 6)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)  # one letter alone is a drive
_DRIVE: Final = re.compile(r"/?([A-Za-z]):(?=/|\Z)")
_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_LONE: Final = re.compile("[\ud800-\udfff]")
_LOCAL: Final = frozenset({"", "localhost"})
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@")
"""What means the same escaped and as it is, inside a path."""


@lru_cache(maxsize=4096)
def key(uri: str) -> str:
    """The key of a document: `file:/a`, `FILE:///a`, `file://localhost/a` and `file:///%61` share one, as do both cases of a drive."""
    match = _SCHEME.match(uri)
    if match is None:
        return _file("", uri) if _DRIVE.match(uri.replace("\\", "/")) else _encodable(uri)
    scheme, rest = match.group(1).lower(), match.group(2)
    if scheme != "file":
        return f"{scheme}:{_escaped(rest)}"
    if not rest.startswith("//"):
        return _file("", rest)
    authority, _, path = rest[2:].partition("/")
    return _file(authority, path)


def path_of(uri: str) -> str:
    """The path part, unescaped, with slashes: what a person would call the file. Empty when there is none."""
    match = _SCHEME.match(uri)
    if match is None or match.group(1).lower() == "file":
        return "/" + key(uri).removeprefix("file://").partition("/")[2]
    rest = match.group(2)
    rest = rest[2:].partition("/")[2] if rest.startswith("//") else rest
    return unquote(re.split("[?#]", rest, maxsplit=1)[0]).replace("\\", "/")


def scheme_of(uri: str) -> str:
    """The scheme in small letters; a bare path is a file."""
    match = _SCHEME.match(uri)
    return match.group(1).lower() if match is not None else "file"


def is_file(uri: str) -> bool:
    """Whether a URI names a file on this machine."""
    return key(uri).startswith("file:///")


def _file(authority: str, path: str) -> str:
    path = "/" + unquote(path, errors="surrogateescape").replace("\\", "/").lstrip("/")
    if drive := _DRIVE.match(path):
        path = f"/{drive.group(1).lower()}:" + path[drive.end() :]
    host = authority.lower()
    return _encodable(f"file://{'' if host in _LOCAL else host}{path}")


def _encodable(text: str) -> str:
    """Half characters, which no encoding takes, escaped."""
    return text if text.isascii() else _LONE.sub(lambda match: f"%u{ord(match.group()):04X}", text)


def _escaped(text: str) -> str:
    """Escapes in capitals; signs that need none as they are; signs outside ASCII escaped."""

    def plain(match: re.Match[str]) -> str:
        sign = chr(int(match.group()[1:], 16))
        return sign if sign in _PLAIN else match.group().upper()

    decoded = _ESCAPE.sub(plain, text)
    if decoded.isascii():
        return decoded
    return "".join(sign if sign.isascii() else _percent(sign) for sign in decoded)


def _percent(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogatepass"))
