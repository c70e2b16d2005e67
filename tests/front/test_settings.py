"""Settings from what clients send."""

from __future__ import annotations

from pathlib import Path

import pytest

from dg_lsp.settings.configuration import differing
from dg_lsp.settings.environment import tree_from, variables
from dg_lsp.settings.layers import SettingsLayers
from dg_lsp.settings.model import LogSettings, Settings
from dg_lsp.settings.page import page
from dg_lsp.settings.read import Faults, options_of, read, sections_by_name, tree_of


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


@pytest.mark.parametrize(
    ("tree", "nearest"),
    [
        ({"completion": {"maxlines": 3}}, "dgLsp.completion.maxLines"),
        ({"completion": {"max_lines": 3}}, "dgLsp.completion.maxLines"),
        ({"maxLines": 3}, "dgLsp.completion.maxLines"),
        ({"completion": {"gitIgnored": "both"}}, "dgLsp.exclude.gitignored"),
        ({"complation": {}}, "dgLsp.completion"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(tree: dict[str, object], nearest: str) -> None:
    assert read(tree)[1].names[0].endswith(f"Did you mean {nearest}?")


def test_a_name_like_no_other_is_told_alone() -> None:
    assert read({"zzz": 1})[1].names == ["Unknown setting dgLsp.zzz."]


def test_what_extensions_keep_in_our_section_is_no_fault() -> None:
    assert read({"trace": {"server": "off"}, "server": {"path": "x"}, "status": True})[1] == Faults()


def test_a_folder_has_settings_of_its_own() -> None:
    """The innermost folder's; what it does not say comes from the editor's."""
    layers = SettingsLayers()
    layers.set_configuration({"completion": {"maxLines": 4, "singleLine": True}})
    layers.set_folders(
        {
            "file:///w": {"completion": {"maxLines": 2}},
            "file:///w/inner/": {"completion": {"enabled": False}, "exclude": {"globs": ["a"]}},
            "file:///w2": None,
        }
    )
    assert layers.faults == Faults()
    outer, inner, other = (layers.of(f"file:///{path}/a.py") for path in ("w", "w/inner", "w2"))
    assert (outer.completion.max_lines, outer.completion.single_line, outer.completion.enabled) == (2, True, True)
    assert (inner.completion.enabled, inner.exclude.globs) == (False, ["a"])
    assert other == layers.current == layers.of("untitled:1")
    layers.set_folders({})
    assert layers.of("file:///w/a.py").completion.max_lines == 4


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("engine", "socket", "/somewhere"),
        ("engine", "model", "/somewhere"),
        ("engine", "tokenFile", "/t"),
        ("log", "sourceText", True),
        ("completion", "fallbackCompletion", True),
    ],
)
def test_a_folder_cannot_choose_for_the_machine(section: str, key: str, value: object) -> None:
    """Its value is refused and told; the same value as everywhere else is no fault, and neither is one that is not set."""
    layers = SettingsLayers()
    layers.set_folders({"file:///w": {section: {key: value}}})
    assert layers.of("file:///w/a.py") == Settings()
    assert layers.faults.values == [
        f"dgLsp.{section}.{key} holds for the whole machine; a folder's value for it is passed over."
    ]
    layers.set_configuration({section: {key: value}})
    assert layers.faults == Faults()
    layers.set_folders({"file:///w": {section: {key: None}}})
    assert layers.faults == Faults()
    assert layers.of("file:///w/a.py") == layers.current != Settings()


def test_the_level_alone_from_a_folder_is_refused_too() -> None:
    layers = SettingsLayers()
    layers.set_folders({"file:///w": {"log": "debug"}})
    assert layers.of("file:///w/a.py").log == LogSettings()
    assert "dgLsp.log.level" in layers.faults.values[0]


def test_the_environment_sets_what_is_the_machines() -> None:
    """It outranks the editor and is outranked by the command line; a value that does not fit is told."""
    environment = tree_from(
        {
            "DG_LSP_ENGINE_SOCKET": "/e",
            "DG_LSP_ENGINE_MODEL": "/e",
            "DG_LSP_ENGINE_IDLE_MINUTES": "2.5",
            "DG_LSP_ENGINE_THREADS": "many",
            "DG_LSP_LOG_SOURCE_TEXT": "true",
            "DG_LSP_ENGINE_TOKEN_FILE": "",
            "DG_LSP_COMPLETION_MAX_LINES": "3",
        }
    )
    layers = SettingsLayers({"engine": {"model": "/line", "socket": None}}, environment)
    layers.set_configuration({"engine": {"socket": "/editor", "tokenFile": "/editor"}})
    engine = layers.current.engine
    assert (engine.socket, engine.model, engine.idle_minutes, engine.threads, engine.token_file) == (
        "/e",
        "/line",
        2.5,
        None,
        "/editor",
    )
    assert layers.current.log.source_text
    assert layers.current.completion == Settings().completion
    assert ["dgLsp.engine.threads" in fault for fault in layers.faults.values] == [True]


def test_a_variable_for_each_option_of_the_machine() -> None:
    names = [name for name, _, _ in variables()]
    assert len(set(names)) == len(names)
    assert "DG_LSP_ENGINE_MEMORY_LIMIT_GB" in names
    assert not any(name.startswith("DG_LSP_EXCLUDE") for name in names)


def test_what_differs_from_the_defaults() -> None:
    settings, _ = read({"completion": {"maxLines": 3}, "engine": {"mode": "shared"}})
    assert differing(settings) == {"completion": {"maxLines": 3}}


def test_the_page_is_fresh_and_names_every_option() -> None:
    """`make pages` writes it."""
    written = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert written == page()
    for name, kind in sections_by_name().items():
        assert f"## `{name}`" in written
        for key, (_, _, option) in options_of(kind).items():
            assert f"| `{key}` |" in written
            assert option.sentence.endswith(".")
