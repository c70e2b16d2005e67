"""Train the starter: `OMP_WAIT_POLICY=PASSIVE train.py CORPUS RUN --minutes N [--from FOLDER | --fresh CONFIG]`.

RUN is a folder: the checkpoint (gone on from where there is one), its curves, and at the end the exported model.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from dataclasses import replace
from pathlib import Path

import torch

from dg_engine.loading import builtin_folder
from dg_engine.loading.folder import open_folder
from dg_engine.training.build import batch_maker
from dg_engine.training.corpus import Corpus
from dg_engine.training.folder import export, fresh_network, load_network
from dg_engine.training.loop import Plan, Trainer
from dg_engine.training.mix import Mix
from dg_engine.training.optimizers import Optimizers

HELD_EVERY = 100
"""One file in so many is kept from training, to watch the loss."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--minutes", type=float, required=True, help="of training, over all sessions of this run")
    parser.add_argument("--from", dest="source", type=Path, default=builtin_folder(), help="model folder to begin with")
    parser.add_argument("--fresh", action="store_true", help="begin with new weights of that folder's shapes")
    parser.add_argument("--matrix-rate", type=float, default=0.015)
    parser.add_argument("--other-rate", type=float, default=2e-3)
    parser.add_argument("--decay", type=float, default=0.6)
    parser.add_argument("--scale", type=float, default=1.0, help="of the batch")
    parser.add_argument("--fp32", action="store_true", help="no matrix products in bf16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    """Train, then export."""
    options = arguments()
    torch.set_num_threads(options.threads)
    options.run.mkdir(parents=True, exist_ok=True)
    folder = open_folder(options.source)
    network = fresh_network(folder.network, options.seed) if options.fresh else load_network(options.source)
    mix, size = Mix(), folder.network.vocabulary
    trained, apart = Corpus.read(options.corpus).split(HELD_EVERY)
    curves = options.run / "curves.jsonl"

    def tell(figures: dict[str, float]) -> None:
        shown = {name: round(value, 4) for name, value in figures.items()}
        with curves.open("a") as file:
            file.write(json.dumps(shown) + "\n")
        print(time.strftime("%H:%M:%S"), *(f"{name} {value:g}" for name, value in shown.items()), flush=True)

    trainer = Trainer(
        network,
        Optimizers(network, matrix_rate=options.matrix_rate, other_rate=options.other_rate),
        batch_maker(trained, options.source, size, mix, seed=options.seed, scale=options.scale),
        Plan(minutes=options.minutes, decay=options.decay, autocast=not options.fp32),
        options.run / "checkpoint.safetensors",
        held_out=batch_maker(apart, options.source, size, replace(mix, drills=(0.0, 0.0, 1)), seed=1, scale=0.5),
        tell=tell,
    )
    signal.signal(signal.SIGTERM, lambda *_: setattr(trainer, "stopping", True))
    print(
        f"from step {trainer.place.step}, {len(trained.texts)} files, {sum(p.numel() for p in network.parameters.values())} weights"
    )
    trainer.run()
    export(network, options.source, options.run / "model")


if __name__ == "__main__":
    main()
