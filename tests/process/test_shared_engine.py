"""The engine that windows share, as a process: started by several at once, met by strangers, ended in every way."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dg_bench.drive.processes import resident, until
from dg_bench.drive.shared_engine import attached, ended, pid
from dg_engine.loading.builtin import builtin_folder
from dg_engine.messages import Bye, ClientInfo, Completion, FillJob, Hello, Stats, Welcome
from dg_engine.process import wire
from dg_engine.process.identity import Wanted, identity
from dg_engine.process.listen import LOOPBACK, read_door
from dg_engine.process.places import Places, places
from dg_engine.process.spawn import engine_command, engine_environment, shared
from dg_lsp.cli.engine_session import EngineSession

pytestmark = pytest.mark.e2e

JOB = FillJob(id=1, document="d", prefix="def mean(values):\n    return sum(values) / ", suffix="\n")
TAKEN = 3


def test_of_four_started_at_once_one_serves(place: Places) -> None:
    """The others find the lock taken, before torch is imported."""
    command = engine_command([])
    environment = engine_environment(os.environ)
    four = [subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment) for _ in range(4)]
    try:
        assert until(lambda: [one.poll() for one in four].count(TAKEN) == 3)
        session = attached(place)
        session.ready()
        (serving,) = [one for one in four if one.poll() is None]
        assert pid(session) == serving.pid
        session.send(JOB)
        assert session.until(Completion).id == 1
        session.end()
    finally:
        for one in four:
            one.terminate()
            one.wait(10)
    assert not place.socket.exists()


def test_it_is_nobodys_child_and_inherits_nothing(place: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """No walk down our tree finds it; its output goes to a file; the editor's variables are not passed on."""
    monkeypatch.setenv("VSCODE_IPC_HOOK", "x")
    monkeypatch.setenv("NVIM_LISTEN_ADDRESS", "x")
    with open(os.devnull) as kept:  # noqa: PTH123 - a descriptor that must not be passed on
        os.set_inheritable(kept.fileno(), True)
        shared([], place.output)
        session = attached(place)
        session.hello()
        engine = pid(session)
        links = {number: os.readlink(f"/proc/{engine}/fd/{number}") for number in os.listdir(f"/proc/{engine}/fd")}  # noqa: PTH115,PTH208
    assert Path(f"/proc/{engine}/stat").read_text().rpartition(")")[2].split()[1] != str(os.getpid())
    assert os.readlink(f"/proc/{engine}/cwd") == "/"  # noqa: PTH115
    assert links["0"] == os.devnull
    assert links["1"] == links["2"] == str(place.output)
    assert os.getsid(engine) != os.getsid(0)
    assert os.getpriority(os.PRIO_PROCESS, engine) >= 5
    variables = Path(f"/proc/{engine}/environ").read_bytes()
    assert b"VSCODE_" not in variables
    assert b"NVIM" not in variables
    session.send(Bye(reason="stop"))
    assert session.until(Bye).reason == "stop"
    session.end()
    assert ended(engine)


def test_a_socket_that_a_crash_left_is_replaced(place: Places) -> None:
    """Under the lock: the kernel gave that back."""
    shared([], place.output)
    session = attached(place)
    session.hello()
    crashed = pid(session)
    os.kill(crashed, signal.SIGKILL)
    assert ended(crashed)
    session.end()
    assert place.socket.exists()
    shared([], place.output)

    def another() -> int | None:
        try:
            session = EngineSession.attach(place.socket)
        except OSError:
            return None
        session.hello()
        number = pid(session)
        session.end()
        return number

    engine = until(another)
    assert engine not in {None, crashed}


def test_it_leaves_when_its_folder_is_removed(place: Places, home: Path) -> None:
    shared([], place.output)
    session = attached(place)
    session.hello()
    engine = pid(session)
    shutil.rmtree(home)
    assert session.until(Bye).reason == "stop"
    session.end()
    assert ended(engine)


def test_it_leaves_when_it_is_idle(place: Places) -> None:
    """Another model than the built-in one also while somebody is attached."""
    shared(["--idle-minutes", "0"], place.output)
    model = ["--model", str(builtin_folder()), "--idle-minutes", "0"]
    other = places(identity(Wanted(model=builtin_folder())))
    assert other.socket == place.socket  # the same folder is the same model
    session = attached(place)
    session.hello()
    engine = pid(session)
    session.ready()
    session.end()
    assert ended(engine)
    shared(model, place.output)
    session = attached(place)
    session.hello()
    assert session.until(Bye).reason == "idle"
    session.end()


def test_two_models_are_two_engines(place: Places, home: Path) -> None:
    copy = home / "copy"
    shutil.copytree(builtin_folder(), copy)
    second = places(identity(Wanted(model=copy)))
    shared([], place.output)
    shared(["--model", str(copy)], second.output)
    one, two = attached(place), attached(second)
    one.ready()
    two.ready()
    assert pid(one) != pid(two)
    models = [[message.model for message in session.seen if isinstance(message, Welcome)][-1] for session in (one, two)]
    assert models == [str(builtin_folder()), str(copy)]
    one.end()
    two.end()


@pytest.mark.parametrize("backbone", ["own", "auto"])
def test_an_engine_is_found_by_what_was_asked_for(home: Path, backbone: str) -> None:
    """`auto` stays `auto`, whatever it became."""
    assert home.is_dir()
    wanted = places(identity(Wanted(backbone=backbone)))
    shared(["--backbone", backbone], wanted.output)
    session = attached(wanted)
    session.ready()
    assert [message.identity for message in session.seen if isinstance(message, Welcome)][-1] == wanted.socket.stem
    session.end()


@pytest.fixture
def engine(place: Places) -> Iterator[EngineSession]:
    """A ready one, and a session that others' faults must not touch."""
    shared([], place.output)
    session = attached(place)
    session.ready()
    yield session
    session.end()


def stranger(place: Places) -> socket.socket:
    """A bare connection."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(10)
    connection.connect(str(place.socket))
    return connection


def garbage(connection: socket.socket) -> None:
    """No frame at all."""
    connection.sendall(os.urandom(4096))


def half_a_frame(connection: socket.socket) -> None:
    """And then nothing."""
    connection.sendall(wire.encode(Hello(client=ClientInfo(name="x")))[:7])
    connection.shutdown(socket.SHUT_WR)


def a_gigabyte(connection: socket.socket) -> None:
    """Announced, never sent."""
    connection.sendall(wire.encode(Hello(client=ClientInfo(name="x"))) + (1 << 30).to_bytes(4, "big"))


def never_reads(connection: socket.socket) -> None:
    """Asks for megabytes of answers and takes none."""
    connection.setblocking(False)
    data = wire.encode(Hello(client=ClientInfo(name="x"))) + wire.encode(Stats()) * 50_000
    try:
        while data:
            data = data[connection.send(data) :]
    except BlockingIOError:
        pass


@pytest.mark.parametrize("fault", [garbage, half_a_frame, a_gigabyte, never_reads])
def test_a_bad_peer_hurts_nobody_else(engine: EngineSession, place: Places, fault: Callable[[socket.socket], None]) -> None:
    with stranger(place) as connection:
        fault(connection)
        before = pid(engine)
        engine.send(JOB)
        assert engine.until(Completion).id == 1
        assert pid(engine) == before
    assert resident(before) < 2**30


def test_a_token_is_asked_for_where_there_is_one(home: Path) -> None:
    token = home / "token"
    token.write_text("open sesame\n")
    path = home / "t.sock"
    process = subprocess.Popen(engine_command(["--socket", str(path), "--token-file", str(token)]), stderr=subprocess.DEVNULL)
    try:
        place = Places(path, path, path, home / "none")
        for said, welcome in (("open sesame", True), ("other", False), (None, False)):
            session = attached(place)
            session.send(Hello(client=ClientInfo(name="x"), token=said))
            answer = session.read()
            assert isinstance(answer, Welcome if welcome else Bye)
            session.end()
    finally:
        process.terminate()
        process.wait(10)


def test_versions_of_the_package_may_differ(place: Places) -> None:
    """They talk; an older engine leaves once it has had no job for a while (tests of its residence)."""
    shared([], place.output)
    session = attached(place)
    session.send(Hello(client=ClientInfo(name="x", version="99.0")))
    assert isinstance(session.read(), Welcome)
    session.send(JOB)
    assert session.until(Completion).id == 1
    session.end()


def test_a_file_that_is_no_socket_is_not_replaced(home: Path) -> None:
    """Somebody may have given the wrong path."""
    path = home / "notes.txt"
    path.write_text("mine")
    done = subprocess.run(engine_command(["--socket", str(path)]), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, path.read_text()) == (1, "mine")
    assert done.stderr == f"{path} exists and is no socket: choose another path.\n"


def test_a_second_engine_at_a_given_socket_is_refused(home: Path) -> None:
    path = home / "given.sock"
    first = subprocess.Popen(engine_command(["--socket", str(path)]), stderr=subprocess.DEVNULL)
    try:
        session = attached(Places(path, path, path, home / "none"))
        second = subprocess.run(
            engine_command(["--socket", str(path)]), capture_output=True, text=True, timeout=60, check=False
        )
        assert (second.returncode, second.stderr) == (TAKEN, f"An engine serves {path} already.\n")
        session.ready()
        session.end()
    finally:
        first.terminate()
        first.wait(10)


def test_told_to_end_it_finishes_its_jobs(engine: EngineSession) -> None:
    """Those that it has; it takes no more."""
    number = pid(engine)
    engine.send(JOB)
    os.kill(number, signal.SIGTERM)
    assert engine.until(Completion).id == 1
    assert engine.until(Bye).reason == "stop"
    engine.end()
    assert ended(number)


def test_a_port_takes_the_sockets_place_and_asks_for_its_token(place: Places) -> None:
    """As where there are no sockets with names; the file that names it is its owner's."""
    shared(["--port"], place.output)
    assert until(place.port.exists)
    assert stat.S_IMODE(place.port.stat().st_mode) == 0o600
    door = read_door(place.port)
    for said, welcome in ((door.token, True), (door.token[:-1], False), (None, False)):
        session = EngineSession(None, socket.create_connection((LOOPBACK, door.port), 10))
        session.send(Hello(client=ClientInfo(name="x"), token=said))
        assert isinstance(session.read(), Welcome if welcome else Bye)
        session.end()
    place.port.unlink()
    assert until(lambda: _refuses(door.port))


def _refuses(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), 10).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_runtime_folder_with_a_long_path(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """150 characters and more, which no socket's path may have."""
    long = home / ("x" * 90) / ("y" * 60)
    long.mkdir(parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    place = places(identity(Wanted()))
    try:
        shared([], place.output)
        session = attached(place)
        session.ready()
        session.send(JOB)
        assert session.until(Completion).id == 1
        session.send(Bye(reason="stop"))
        session.until(Bye)
        session.end()
    finally:
        shutil.rmtree(place.socket.parent)


def test_a_model_that_does_not_fit_says_who_holds_the_memory(engine: EngineSession, home: Path) -> None:
    """Another model's engine, for which nothing is left."""
    copy = home / "copy"
    shutil.copytree(builtin_folder(), copy)
    second = places(identity(Wanted(model=copy)))
    shared(["--model", str(copy), "--memory-limit-gb", "0.001"], second.output)
    session = attached(second)
    session.hello()
    bye = session.until(Bye)
    assert "memoryLimitGb" in bye.sentence
    assert f"(process {pid(engine)}) holds 0." in bye.sentence
    session.end()
