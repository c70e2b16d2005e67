"""Files that hold secrets by convention, told by their names alone."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from dg_lsp.documents.uri import path_of

SECRET_NAMES: Final = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.kdbx",
    "*.tfvars",
)
SECRET_UNLESS_CODE: Final = (
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "credentials",
    "credentials.*",
    "secrets",
    "secrets.*",
)
CODE: Final = frozenset(
    [
        "c",
        "cc",
        "cpp",
        "cs",
        "cxx",
        "go",
        "h",
        "hpp",
        "java",
        "js",
        "jsx",
        "kt",
        "kts",
        "lua",
        "m",
        "php",
        "pl",
        "py",
        "pyi",
        "r",
        "rb",
        "rs",
        "scala",
        "sh",
        "sql",
        "swift",
        "ts",
        "tsx",
        "vue",
        "zig",
    ]
)
"""Endings of programming languages: `secrets.py` is a module, and `secrets.yaml` is not."""
SECRET_FOLDERS: Final = frozenset({"credentials", ".ssh", ".gnupg", ".aws"})
SENTENCE: Final = "Files that hold secrets are never completed."


def looks_secret(uri: str) -> bool:
    """Whether the path of a URI, or a path, names a file that secrets are kept in. Letter case does not matter."""
    parts = [part for part in path_of(uri).lower().split("/") if part]
    if not parts:
        return False
    name, folders = parts[-1], parts[:-1]
    if not SECRET_FOLDERS.isdisjoint(folders) or _matches(name, SECRET_NAMES):
        return True
    return name.rpartition(".")[2] not in CODE and _matches(name, SECRET_UNLESS_CODE)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
