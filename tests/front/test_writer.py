"""The queue towards the client."""

from __future__ import annotations

import os
import threading

from dg_lsp.transport import writer as writer_module
from dg_lsp.transport.framing import FrameDecoder, frame
from dg_lsp.transport.writer import Writer

WAIT = 10.0


def read_all(descriptor: int) -> list[object]:
    """All bodies until the stream ends."""
    decoder, found = FrameDecoder(), []
    while data := os.read(descriptor, 1 << 16):
        found.extend(decoder.feed(data))
    return list(found)


def test_in_order_and_flushed() -> None:
    """What was queued before `close` arrives."""
    ours, theirs = os.pipe()
    writer = Writer(theirs, lambda: None)
    for number in range(100):
        writer.put(b"%d" % number)
    writer.start()
    writer.close(WAIT)
    os.close(theirs)
    assert read_all(ours) == [b"%d" % number for number in range(100)]
    os.close(ours)


def test_what_may_be_dropped_goes_first() -> None:
    """A client that does not read loses status and drafts, no answer."""
    ours, theirs = os.pipe()
    writer = Writer(theirs, lambda: None)
    status, answer = b"s" * (writer_module.SOFT_CAP // 4), b"answer"
    for _ in range(40):
        writer.put(status, droppable=True)
        writer.put(answer)
    assert writer._waiting <= writer_module.SOFT_CAP + len(frame(status))
    thread = threading.Thread(target=lambda: (writer.start(), writer.close(WAIT), os.close(theirs)))
    thread.start()
    found = read_all(ours)
    thread.join(WAIT)
    assert found.count(answer) == 40
    assert found.count(status) < 5
    os.close(ours)


def test_a_client_that_never_reads_counts_as_gone() -> None:
    """Above the hard cap, once."""
    gone: list[bool] = []
    writer = Writer(-1, lambda: gone.append(True))
    for _ in range(40):
        writer.put(b"a" * (writer_module.HARD_CAP // 20))
    assert gone == [True]


def test_a_closed_pipe() -> None:
    """Told once, no traceback."""
    ours, theirs = os.pipe()
    os.close(ours)
    gone = threading.Event()
    writer = Writer(theirs, gone.set)
    writer.start()
    writer.put(b"x")
    assert gone.wait(WAIT)
    writer.close(WAIT)
    os.close(theirs)
