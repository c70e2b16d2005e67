"""Write a checkpoint as a model folder: `export.py CHECKPOINT OUT [--like FOLDER]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from dg_engine.loading import builtin_folder
from dg_engine.training.checkpoint import restore
from dg_engine.training.folder import export, load_network


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--like", type=Path, default=builtin_folder(), help="folder with the same shapes and tokenizer")
    options = parser.parse_args()
    network = load_network(options.like)
    place = restore(options.checkpoint, network)
    export(network, options.like, options.out)
    print(f"step {place.step}, {place.seconds / 60:.1f} minutes, {place.tokens / 1e6:.2f} million tokens")


if __name__ == "__main__":
    main()
