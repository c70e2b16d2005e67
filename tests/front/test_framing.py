"""Bytes into bodies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dg_lsp.transport.framing import FrameDecoder, Unreadable, content_length, frame


def bodies(data: bytes, cap: int = 1000) -> list[bytes | None]:
    """What the decoder makes of `data` at once; None for a fault."""
    return [None if isinstance(event, Unreadable) else event for event in FrameDecoder(cap).feed(data)]


@given(st.lists(st.binary(max_size=50), max_size=5), st.integers(1, 20))
def test_any_pieces(parts: list[bytes], size: int) -> None:
    """However the stream is cut, the same bodies come out."""
    data = b"".join(map(frame, parts))
    decoder = FrameDecoder()
    found = [event for k in range(0, len(data), size) for event in decoder.feed(data[k : k + size])]
    assert found == parts


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 2",
        b"content-length:2",
        b"CONTENT-LENGTH :  2 ",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2",
        b"Content-Length: 2\r\ncontent-type: x",
    ],
)
def test_lenient_heads(head: bytes) -> None:
    """Case, blanks, order and LF-only ends do not matter."""
    assert bodies(head + b"\r\n\r\n{}") == [b"{}"]
    assert bodies(head.replace(b"\r\n", b"\n") + b"\n\n{}") == [b"{}"]


@pytest.mark.parametrize("head", [b"", b"Content-Length: -1", b"Content-Length: x", b"POST / HTTP/1.1\r\nContent-Length: 2"])
def test_heads_that_make_no_sense(head: bytes) -> None:
    """There is no length in them."""
    assert content_length(head) is None


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 999999999999\r\n\r\n",
        b"Content-Length: 5000\r\n\r\n" + b"x" * 5000,
        b"x" * 20_000 + b"\r\n\r\n",
    ],
    ids=["words", "http", "absurd length", "over the cap", "endless head"],
)
def test_it_finds_the_next_message(garbage: bytes) -> None:
    """One fault, then the message behind the garbage; nothing of the body of a fault is kept in memory."""
    decoder = FrameDecoder(1000)
    found = [event for k in range(0, len(garbage), 100) for event in decoder.feed(garbage[k : k + 100])]
    found += decoder.feed(frame(b"{1}"))
    assert [event for event in found if isinstance(event, Unreadable)] == found[:-1]
    assert len(found) == 2
    assert found[-1] == b"{1}"
    assert len(decoder._buffer) < 20_000
