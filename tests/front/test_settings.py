"""Settings from what clients send."""

from __future__ import annotations

import pytest

from dg_lsp.settings.layers import SettingsLayers
from dg_lsp.settings.model import LogSettings, Settings
from dg_lsp.settings.read import Faults, read, tree_of


def test_defaults() -> None:
    """Nothing sent, nothing wrong."""
    assert read({}) == (Settings(), Faults())


def test_every_kind_of_value() -> None:
    """Camel case in, typed out."""
    tree = {
        "engine": {"model": "/m", "threads": 2, "backbone": "own"},
        "completion": {"enabled": False, "maxLines": 3, "deadlineMs": 200, "showThreshold": 0.5},
        "log": {"level": "debug", "format": "json", "sourceText": True},
    }
    settings, faults = read(tree)
    assert faults == Faults()
    assert (settings.engine.model, settings.engine.threads, settings.engine.backbone) == ("/m", 2, "own")
    completion = settings.completion
    assert (completion.enabled, completion.max_lines, completion.deadline_ms, completion.show_threshold) == (False, 3, 200, 0.5)
    assert (settings.log.level, settings.log.format, settings.log.source_text) == ("debug", "json", True)


def test_the_level_alone_may_stand_for_the_section() -> None:
    assert read({"log": "info"})[0].log == LogSettings(level="info")


@pytest.mark.parametrize(
    ("tree", "named"),
    [
        ({"completion": {"maxLines": "many"}}, "dgLsp.completion.maxLines"),
        ({"completion": {"maxLines": 0}}, "dgLsp.completion.maxLines"),
        ({"completion": {"showThreshold": 3}}, "dgLsp.completion.showThreshold"),
        ({"completion": 3}, "dgLsp.completion"),
        ({"completion": {"maxlines": 3}}, "dgLsp.completion.maxlines"),
        ({"engine": {"device": "tpu"}}, "dgLsp.engine.device"),
        ({"log": "loud"}, "dgLsp.log.level"),
        ({"log": {"level": 3}}, "dgLsp.log.level"),
        ({"log": ["debug"]}, "dgLsp.log"),
        ({"complation": {}}, "dgLsp.complation"),
    ],
)
def test_a_bad_value_keeps_its_default_and_is_told(tree: dict[str, object], named: str) -> None:
    """One sentence that names it; the neighbours stay."""
    settings, faults = read(tree)
    assert settings == Settings()
    (told,) = faults.values + faults.names
    assert named in told


def test_null_means_not_set() -> None:
    """Editors send null for what the user did not set."""
    assert read({"completion": {"maxLines": None, "enabled": None}, "engine": None}) == (Settings(), Faults())


@pytest.mark.parametrize("value", [None, 3, [], "x"])
def test_no_tree(value: object) -> None:
    """What is no object holds no settings."""
    assert tree_of(value) == {}


def test_layers() -> None:
    """The command line outranks the editor's configuration, which outranks initializationOptions."""
    layers = SettingsLayers({"engine": {"model": "/line"}})
    layers.set_options({"completion": {"maxLines": 2, "enabled": False}, "engine": {"model": "/options"}, "status": True})
    layers.set_configuration({"dgLsp": {"completion": {"maxLines": 4}}})
    assert layers.current.engine.model == "/line"
    assert layers.current.completion.max_lines == 4
    assert layers.current.completion.enabled is False
    assert layers.switch("status")
    assert not layers.switch("drafts")
    layers.set_configuration({"completion": {"maxLines": None}})
    assert layers.current.completion.max_lines == 2
    assert layers.faults == Faults()
