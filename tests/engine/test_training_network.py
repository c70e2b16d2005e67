"""The trainable network computes what inference computes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from dg_engine.backbone.base import Backbone
from dg_engine.loading import open_folder
from dg_engine.loading.load import load_backbone
from dg_engine.training.folder import export, load_network

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("which", "length"), [("starter", 40), ("tiny", 40)])
def test_hidden_states_are_those_of_our_trunk(which: str, length: int, request: pytest.FixtureRequest) -> None:
    own: Backbone = request.getfixturevalue(f"own_{which}")
    network = load_network(request.getfixturevalue(f"{which}_folder"))
    network.fuse()
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(6, 4096, (2, length), generator=generator)
    owner, lengths = torch.tensor([0, 0, 1]), torch.tensor([length, length // 2, 3])
    canvases = torch.randint(6, 4096, (3, 10), generator=generator)
    beliefs = torch.randn(3, 10, own.hidden_size, generator=generator)
    beliefs[:, :4] = 0
    with torch.no_grad():
        hidden, prefixes = network.encode(ids)
        states = network.canvas(canvases, beliefs, prefixes, owner, lengths)
    for j in range(3):
        slot = own.new_slot()
        expected = own.encode(ids[owner[j], : lengths[j]], slot)
        assert (hidden[owner[j], : lengths[j]] - expected).abs().max() < 1e-4
        expected = own.refine(canvases[j : j + 1], beliefs[j : j + 1], [slot])
        assert (states[j : j + 1] - expected).abs().max() < 1e-4


def test_an_exported_folder_holds_the_same_weights(starter_folder: Path, tmp_path: Path) -> None:
    network = load_network(starter_folder)
    export(network, starter_folder, tmp_path)
    again = load_network(tmp_path)
    assert again.parameters.keys() == network.parameters.keys()
    assert all(torch.equal(again.parameters[name], tensor) for name, tensor in network.parameters.items())
    assert load_backbone(open_folder(tmp_path), backbone="own", device="cpu", dtype="float32").name == "own"
