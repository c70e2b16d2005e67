"""Section `engine`: which engine answers."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from dg_lsp.settings.option import Option, Section


class EngineSettings(Section, frozen=True):
    """Which engine answers: the one at `socket`; else the one that all windows share, or (mode `embedded`) one of our own."""

    mode: Annotated[
        Literal["shared", "embedded"],
        Option("`shared`: all windows use one engine process; `embedded`: this server starts a private one.", "machine"),
    ] = "shared"
    transport: Annotated[
        Literal["auto", "socket", "port"],
        Option(
            "How the shared engine is reached: a Unix socket, or a loopback port with a token (`auto`: by system).", "machine"
        ),
    ] = "auto"
    socket: Annotated[
        str | None, Option("Path of the socket of an engine that runs already, for containers and `ssh -R`.", "machine")
    ] = None
    token_file: Annotated[str | None, Option("File with the token that the engine at `socket` asks for.", "machine")] = None
    model: Annotated[str | None, Option("Model folder; the built-in starter when it is not set.", "machine")] = None
    backbone: Annotated[
        Literal["auto", "own", "reference"],
        Option("Whose network code runs: our own, or transformers' (slower; for models that ours does not know).", "machine"),
    ] = "auto"
    device: Annotated[Literal["auto", "cpu", "cuda"], Option("Where the model runs.", "machine")] = "auto"
    dtype: Annotated[
        Literal["auto", "float32", "bfloat16"], Option("Number format of the weights; `auto` goes by the device.", "machine")
    ] = "auto"
    threads: Annotated[
        Annotated[int, Meta(ge=1, le=1024)] | None,
        Option("Processor threads, from the engine's next start on; half of the physical cores when it is not set.", "machine"),
    ] = None
    memory_limit_gb: Annotated[
        Annotated[float, Meta(gt=0, le=1e6)] | None,
        Option("Most memory in GB for weights and caches, from the engine's next start on.", "machine"),
    ] = None
    idle_minutes: Annotated[
        float,
        Meta(ge=0),
        Option(
            "Minutes without work after which the engine leaves; the starter's stays while a window is attached.", "machine"
        ),
    ] = 30.0
