"""A server that is pygls and nothing else: what ours is compared with. `python -m dg_bench.drive.bare_pygls` serves over stdio."""

from __future__ import annotations

from pygls.lsp.server import LanguageServer

if __name__ == "__main__":
    LanguageServer("bare", "1").start_io()
