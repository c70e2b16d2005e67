"""Language ids by a file's ending, as editors give them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_BY_ENDING: Final = {
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".go": "go",
    ".h": "c",
    ".hpp": "cpp",
    ".html": "html",
    ".java": "java",
    ".js": "javascript",
    ".json": "json",
    ".jsx": "javascriptreact",
    ".kt": "kotlin",
    ".lua": "lua",
    ".md": "markdown",
    ".php": "php",
    ".py": "python",
    ".pyi": "python",
    ".rb": "ruby",
    ".rs": "rust",
    ".rst": "restructuredtext",
    ".sh": "shellscript",
    ".sql": "sql",
    ".swift": "swift",
    ".toml": "toml",
    ".ts": "typescript",
    ".tsx": "typescriptreact",
    ".yaml": "yaml",
    ".yml": "yaml",
}


def language_of(file: Path) -> str:
    """The language id; plain text for endings that say nothing."""
    return _BY_ENDING.get(file.suffix.lower(), "plaintext")
