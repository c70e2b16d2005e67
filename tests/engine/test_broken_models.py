"""Model folders with something wrong in them: one sentence that names where, before any job."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dg_engine.errors import ModelError
from dg_engine.loading.builtin import builtin_folder
from dg_engine.model import Model
from dg_engine.prefix.window import choose_window

Change = Callable[[Path], None]


def config(**values: Any) -> Change:
    """Other values in config.json; a dict goes into the section of its name."""
    return edited("config.json", values)


def edited(name: str, values: dict[str, Any]) -> Change:
    """Other values in a JSON file."""

    def change(folder: Path) -> None:
        file = folder / name
        tree = json.loads(file.read_text("utf-8"))
        for key, value in values.items():
            tree[key] = tree[key] | value if isinstance(value, dict) and isinstance(tree.get(key), dict) else value
        file.write_text(json.dumps(tree), "utf-8")

    return change


def generic(change: Change) -> Change:
    """The same in a folder that is not the starter's form: its mask token has another name."""

    def both(folder: Path) -> None:
        file = folder / "tokenizer.json"
        file.write_text(file.read_text("utf-8").replace("<fim>", "<mask>"), "utf-8")
        change(folder)

    return both


def written(name: str, text: str) -> Change:
    """A file that holds something else."""
    return lambda folder: (folder / name).write_text(text, "utf-8") and None


def reversed_ids(folder: Path) -> None:
    """The same tokens, their ids the other way round."""
    file = folder / "tokenizer.json"
    tree = json.loads(file.read_text("utf-8"))
    size = len(tree["model"]["vocab"])
    tree["model"]["vocab"] = {token: size - 1 - id_ for token, id_ in tree["model"]["vocab"].items()}
    for token in tree["added_tokens"]:
        token["id"] = size - 1 - token["id"]
    file.write_text(json.dumps(tree), "utf-8")


def few_ids(folder: Path) -> None:
    """A tokenizer of a tenth of the network's rows."""
    file = folder / "tokenizer.json"
    tree = json.loads(file.read_text("utf-8"))
    tree["model"]["vocab"] = {token: id_ for token, id_ in tree["model"]["vocab"].items() if id_ < 400}
    tree["model"]["merges"] = []
    file.write_text(json.dumps(tree), "utf-8")


def dangling(folder: Path) -> None:
    """As an interrupted download leaves it."""
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(folder / "nowhere")


CASES: dict[str, Change] = {
    "architectures": config(architectures=5),
    "layer types": config(text_config={"layer_types": []}),
    "infinite vocabulary": config(text_config={"vocab_size": float("inf")}),
    "nesting": written("tokenizer.json", "[" * 100_000),
    "config nesting": written("config.json", "[" * 100_000),
    "index": written("model.safetensors.index.json", "[]"),
    "index of lists": written("model.safetensors.index.json", '{"weight_map": {"a": ["x"]}}'),
    "added tokens": edited("tokenizer.json", {"added_tokens": 5}),
    "other ids": reversed_ids,
    "few ids": few_ids,
    "dangling weights": dangling,
    "no temperature": generic(edited("generation_config.json", {"t_max": None})),
    "passes of words": generic(edited("generation_config.json", {"max_denoising_steps": "x"})),
    "no passes": generic(edited("generation_config.json", {"max_denoising_steps": 0})),
    "cold": generic(edited("generation_config.json", {"t_max": 0})),
    "sampler": generic(edited("generation_config.json", {"sampler_config": [1]})),
    "canvas": generic(config(canvas_length="x")),
    "a huge canvas": generic(config(canvas_length=10**6)),
    "no room for context": generic(config(text_config={"max_position_embeddings": 50})),
    "start id": generic(config(text_config={"bos_token_id": 99_999})),
    "end id": generic(config(text_config={"eos_token_id": "x"})),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_sentence_that_says_where(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(builtin_folder(), folder)
    CASES[name](folder)
    with pytest.raises(ModelError) as error:
        Model.load(folder)
    assert str(folder) in str(error.value)
    assert len(str(error.value)) < 700


@pytest.mark.parametrize("budget", [-5, 0, 1])
def test_a_window_without_room_is_empty_and_ends(budget: int) -> None:
    window = choose_window("x = 1\n" * 100, 0, budget, lambda text: list(range(len(text))), None)
    assert len(window.ids) <= max(budget, 0)
