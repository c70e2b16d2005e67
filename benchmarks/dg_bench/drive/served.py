"""A server with a scripted engine behind it, as tests use them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dg_bench.drive.client import Client
from dg_bench.drive.script import Rule, Script
from dg_bench.drive.scripted_engine import ScriptedEngine


@dataclass
class Served:
    """The client's end, the engine, and the file that the server's stderr goes to."""

    client: Client
    engine: ScriptedEngine
    log: Path

    @classmethod
    def start(cls, folder: Path, name: str, script: Script | None = None, **client: Any) -> Served:
        """Start both; socket and log get `name` in `folder`."""
        engine = ScriptedEngine(folder / f"{name}.sock", script)
        engine.__enter__()
        log = folder / f"{name}.log"
        return cls(Client(errors=log, **client), engine, log)

    def initialize(self, options: dict[str, Any] | None = None, **more: Any) -> Any:
        """Initialize with the engine's socket in the options. Nothing runs ahead of requests unless they say so: jobs are counted."""
        ours = {"engine": {"socket": str(self.engine.path)}, "completion": {"speculative": False}}
        return self.client.initialize(options={**ours, **(options or {})}, **more)

    def script(self, *rules: Rule) -> None:
        """What the engine answers from now on."""
        self.engine.hold_all()
        self.engine.script = Script(rules=list(rules))

    def settle(self) -> None:
        """Return when the server has read all that was sent."""
        self.client.settled()

    def stop(self) -> None:
        """End both, whatever they do."""
        self.client.kill()
        self.engine.__exit__()


class Serve(Protocol):
    """Starts a server: the fixture of tests."""

    def __call__(
        self, script: Script | None = None, *, initialize: bool = True, options: dict[str, Any] | None = None, **more: Any
    ) -> Served:
        """`more` goes to `initialize`."""
        ...
