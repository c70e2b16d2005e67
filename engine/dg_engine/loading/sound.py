"""What broken files make our code and libraries raise, as one sentence that names the file. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dg_engine.errors import EngineError, ModelError

_LONGEST = 160


@contextmanager
def reading(what: str | Path) -> Iterator[None]:
    """Whatever goes wrong inside is the fault of `what`. Raises ModelError; running out of memory stays what it is."""
    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
            raise
        said = " ".join(str(error).split())[:_LONGEST]
        raise ModelError(
            f"{what} does not hold what it should ({type(error).__name__}: {said}); "
            "fetch the model again, or use the built-in starter."
        ) from None
