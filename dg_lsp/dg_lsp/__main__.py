"""`python -m dg_lsp`."""

from __future__ import annotations

from dg_lsp.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
