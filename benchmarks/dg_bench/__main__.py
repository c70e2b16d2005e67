"""`python -m dg_bench`."""

from __future__ import annotations

import sys

from dg_bench.main import main

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
