"""Files that hold secrets by convention, told by their names alone."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from dg_lsp.documents.uri import path_of

SECRET_NAMES: Final = (
    ".env",
    ".env.*",
    "*.env",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    ".pgpass",
    "credentials",
    "credentials.json",
)
SECRET_FOLDERS: Final = frozenset({"credentials", ".ssh", ".gnupg"})


def looks_secret(uri: str) -> bool:
    """Whether the URI's path names a file that secrets are kept in. Letter case does not matter."""
    parts = [part for part in path_of(uri).lower().split("/") if part]
    if not parts:
        return False
    name, folders = parts[-1], parts[:-1]
    return any(fnmatchcase(name, pattern) for pattern in SECRET_NAMES) or not SECRET_FOLDERS.isdisjoint(folders)
