"""What makes two engines the same, and where their files lie."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from pathlib import Path

import pytest

from dg_engine.errors import EngineError
from dg_engine.loading.builtin import builtin_folder
from dg_engine.process import places as places_module
from dg_engine.process.identity import Wanted, fingerprint, identity, source_digest
from dg_engine.process.lock import EngineLock
from dg_engine.process.peer import is_ours
from dg_engine.process.places import places, sockets
from dg_engine.process.version import is_newer


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the built-in model's small files, with weights of a few bytes."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(builtin_folder() / name, folder / name)
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_the_same_is_the_same(model: Path) -> None:
    assert identity(Wanted(model=model)) == identity(Wanted(model=model))
    assert len(identity(Wanted())) == 12


@pytest.mark.parametrize(
    "other", [{"device": "cpu"}, {"dtype": "float32"}, {"backbone": "own"}, {"layout": "nf4"}, {"mode": "remote"}]
)
def test_what_was_asked_for_counts_as_it_was_asked_for(model: Path, other: dict[str, str]) -> None:
    assert identity(Wanted(model=model, **other)) != identity(Wanted(model=model))  # type: ignore[arg-type]


def test_a_changed_model_is_another(model: Path) -> None:
    seen = {fingerprint(model)}
    (model / "model.safetensors").write_bytes(b"weightz")
    os.utime(model / "model.safetensors", ns=(0, 1))
    seen.add(fingerprint(model))
    (model / "tokenizer.json").write_bytes(b"{}")
    seen.add(fingerprint(model))
    (model / "config.json").write_bytes((model / "config.json").read_bytes() + b" ")
    seen.add(fingerprint(model))
    (model / "README.md").write_text("no part of it")
    assert fingerprint(model) in seen
    assert len(seen) == 4


def test_a_model_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"nowhere cannot be read"):
        identity(Wanted(model=tmp_path / "nowhere"))


def test_a_checkouts_engine_is_another_once_its_source_changed(tmp_path: Path) -> None:
    source = tmp_path / "engine" / "dg_engine"
    source.mkdir(parents=True)
    (source / "loop.py").write_text("passes = 4\n")
    assert source_digest(tmp_path) == ""  # not a checkout
    (tmp_path / "pyproject.toml").write_text("")
    before = source_digest(tmp_path)
    assert before == source_digest(tmp_path) != ""
    (source / "loop.py").write_text("passes = 44\n")
    assert source_digest(tmp_path) != before


def test_places_are_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place = places("0123456789ab")
    if len(os.fsencode(place.socket.parent)) < 80:
        assert place.socket == tmp_path / "run" / "dg-lsp" / "0123456789ab.sock"
    assert place.lock == place.socket.with_suffix(".lock")
    assert stat.S_IMODE(place.socket.parent.stat().st_mode) == 0o700
    assert (tmp_path / "state") in place.log.parents
    place.socket.touch()
    assert sockets() == [place.socket]


def test_a_path_too_long_for_a_socket_gets_a_short_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100) / ("y" * 40)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(places_module.tempfile, "gettempdir", lambda: "/tmp")  # noqa: S108 - the short one
    place = places("0123456789ab")
    try:
        assert len(os.fsencode(place.socket)) <= 100
        assert stat.S_IMODE(place.socket.parent.stat().st_mode) == 0o700
        assert places("0123456789ab") == place
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(long / "other"))
        other = places("0123456789ab")
        assert other.socket != place.socket
        other.socket.parent.rmdir()
    finally:
        place.socket.parent.rmdir()


def test_a_folder_that_others_may_write_to_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "dg-lsp"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    places_module.owned(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_is_no_folder_of_ours_is_refused(tmp_path: Path, kind: str) -> None:
    """A link could lead to a folder of somebody else's."""
    target = tmp_path / "dg-lsp"
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        target.symlink_to(tmp_path / "elsewhere")
    else:
        target.touch()
    with pytest.raises(EngineError):
        places_module.owned(target)


def test_one_holds_the_lock(tmp_path: Path) -> None:
    first, second = EngineLock(tmp_path / "x.lock"), EngineLock(tmp_path / "x.lock")
    assert first.take()
    assert not second.take()
    first.give_back()
    assert second.take()
    second.give_back()
    assert stat.S_IMODE((tmp_path / "x.lock").stat().st_mode) == 0o600


def test_a_peer_of_another_user_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert is_ours(ours)
        other = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: other)
        assert not is_ours(ours)


@pytest.mark.parametrize(
    ("version", "than", "newer"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.1.10", "0.1.9", True),
        ("0.1.0", "0.1.0", False),
        ("", "0.1", False),
        ("1.0rc1", "0.9", True),
    ],
)
def test_versions_compare_by_their_numbers(version: str, than: str, *, newer: bool) -> None:
    assert is_newer(version, than) is newer
