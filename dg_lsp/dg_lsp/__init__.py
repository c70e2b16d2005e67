"""The front: a language server that turns inline-completion requests into fill jobs. Never imports torch."""

from __future__ import annotations

__version__ = "0.1.0"
