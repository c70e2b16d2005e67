"""What is wrong with a model folder is said in one sentence that names the file and what to do."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dg_engine.errors import ModelError
from dg_engine.loading import open_folder
from dg_engine.loading.load import load_backbone
from dg_engine.process.identity import fingerprint

Break = Callable[[Path], object]


def edit(name: str, change: Callable[[dict[str, Any]], object]) -> Break:
    def apply(folder: Path) -> None:
        tree = json.loads((folder / name).read_text("utf-8"))
        change(tree)
        (folder / name).write_text(json.dumps(tree), "utf-8")

    return apply


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({}))


def truncate(count: int) -> Break:
    def apply(folder: Path) -> None:
        data = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(data[:count])

    return apply


def index_of(name: str) -> Break:
    index = {"weight_map": {"model.decoder.norm.weight": name}}
    return lambda folder: (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")


BROKEN: list[tuple[str, Break, str, str]] = [
    ("no folder", shutil.rmtree, "model", "does not exist"),
    ("no config", lambda f: (f / "config.json").unlink(), "config.json", "is missing"),
    ("config is no JSON", lambda f: (f / "config.json").write_text("{", "utf-8"), "config.json", "fetch it again"),
    ("config is a list", lambda f: (f / "config.json").write_text("[]", "utf-8"), "config.json", "no JSON object"),
    (
        "other architecture",
        edit("config.json", lambda c: c.update(architectures=["LlamaForCausalLM"])),
        "config.json",
        "LlamaForCausalLM",
    ),
    ("no text config", edit("config.json", lambda c: c.pop("text_config")), "config.json", "text_config"),
    ("no hidden size", edit("config.json", lambda c: c["text_config"].pop("hidden_size")), "config.json", "hidden_size"),
    ("text for a number", edit("config.json", lambda c: c["text_config"].update(num_experts="many")), "config.json", "many"),
    ("pickled weights", pickled, "pytorch_model.bin", "convert it to safetensors"),
    ("no weights", lambda f: (f / "model.safetensors").unlink(), "model", "fetch the weights"),
    ("cut in the data", truncate(100_000), "model.safetensors", "cut off or damaged"),
    ("cut in the header", truncate(100), "model.safetensors", "cut off in its header"),
    ("empty weights", truncate(0), "model.safetensors", "fetch it again"),
    ("missing shard", index_of("model-00002-of-00002.safetensors"), "index.json", "model-00002-of-00002"),
    ("shard elsewhere", index_of("../model.safetensors"), "index.json", "not in the folder"),
    ("no tokenizer", lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json", "is missing"),
    ("empty tokenizer", lambda f: (f / "tokenizer.json").write_text("{}", "utf-8"), "tokenizer.json", "no vocabulary"),
    ("too many ids", edit("tokenizer.json", lambda t: t["model"]["vocab"].update(extra=4096)), "tokenizer.json", "4096"),
    (
        "added ids too high",
        edit("tokenizer.json", lambda t: t["added_tokens"].append({"id": 5000, "content": "<x>", "special": True})),
        "tokenizer.json",
        "5000",
    ),
]


@pytest.fixture
def folder(tmp_path: Path, starter_folder: Path) -> Path:
    return shutil.copytree(starter_folder, tmp_path / "model")


@pytest.mark.parametrize(("how", "names", "says"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_folder(folder: Path, how: Break, names: str, says: str) -> None:
    how(folder)
    with pytest.raises(ModelError) as error:
        open_folder(folder)
    sentence = str(error.value)
    assert names in sentence
    assert says in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c["text_config"].update(intermediate_size=100), "config.json asks for"),
        (lambda c: c["text_config"]["layer_types"].append("full_attention"), "no tensor model.decoder.layers.6"),
        (lambda c: c["text_config"].update(num_experts=400, hidden_size=8192), "too many for a CPU"),
    ],
)
def test_weights_that_do_not_belong_to_the_config(folder: Path, change: Callable[[Any], object], says: str) -> None:
    edit("config.json", change)(folder)
    with pytest.raises(ModelError, match=says):
        load_backbone(open_folder(folder), device="cpu")


def test_too_little_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dg_engine.loading.device.free_bytes", lambda _device: 1_000_000)
    with pytest.raises(ModelError, match=r"0\.0 GB are free; close what holds the memory"):
        load_backbone(open_folder(folder), device="cpu")


def test_progress_runs_to_the_end(folder: Path) -> None:
    shares: list[float] = []
    load_backbone(open_folder(folder), progress=lambda share, _doing: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0, abs=0.02)


def test_the_fingerprint_follows_the_files(folder: Path) -> None:
    first = fingerprint(folder)
    assert fingerprint(folder) == first
    edit("config.json", lambda c: c.update(note="x"))(folder)
    second = fingerprint(folder)
    (folder / "tokenizer_config.json").write_text("{}", "utf-8")
    assert len({first, second, fingerprint(folder)}) == 3


def test_the_starters_shapes(starter_folder: Path) -> None:
    network = open_folder(starter_folder).network
    assert (network.hidden, network.heads, network.experts, network.softcap) == (192, 3, 4, 30.0)
    assert [layer.sliding for layer in network.layers] == [True, True, False] * 2
    assert network.parameters == pytest.approx(3.8e6, rel=0.05)


def test_shapes_of_full_layers_are_read_in_both_spellings(starter_folder: Path) -> None:
    from dg_engine.loading.config import network_config  # noqa: PLC0415  beside its use

    config = json.loads((starter_folder / "config.json").read_text("utf-8"))
    text = config["text_config"]
    text["per_layer_config"] = {"2": {"head_dim": 32, "num_key_value_heads": 3}}
    assert [(n.head_dim, n.kv_heads) for n in network_config(config, "c").layers[1:3]] == [(64, 1), (32, 3)]
    del text["per_layer_config"]
    text.update(global_head_dim=16, num_global_key_value_heads=2)
    assert [(n.head_dim, n.kv_heads) for n in network_config(config, "c").layers[1:3]] == [(64, 1), (16, 2)]


def test_ours_runs_without_transformers(starter_folder: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from dg_engine.model import Model
Model.load(Path({str(starter_folder)!r}))
print(sorted(name for name in ("transformers", "bitsandbytes", "triton") if name in sys.modules))
"""
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "[]"
