"""Files that no person writes: minified and bundled ones, told by their names or by how long their lines are."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

from dg_lsp.documents.text import Text

NAMES: Final = ("*.min.js", "*.min.css", "*.min.mjs", "*-min.js", "*.bundle.js", "*.js.map", "*.css.map", "*.pb.go", "*_pb2.py")
MEAN_LINE: Final = 400
"""Characters a line on average from which on a text counts as generated: hand-written code has some thirty."""
_AT_LEAST: Final = 8000
SENTENCE: Final = "The file looks generated (minified, or named so)."


def looks_generated(path: str, text: Text) -> bool:
    """Whether nobody writes this file by hand. O(1) in the text's size."""
    name = path.rpartition("/")[2].lower()
    long_lines = text.chars >= _AT_LEAST and text.chars / text.count > MEAN_LINE
    return long_lines or any(fnmatchcase(name, pattern) for pattern in NAMES)
