"""Frames: what is refused, and before what is allocated."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from dg_engine.errors import ProtocolError
from dg_engine.messages import Cancel, ClientInfo, Draft, FillJob, Hello, Neighbour, Span
from dg_engine.process import wire


async def read_all(data: bytes) -> list[object]:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    messages: list[object] = []
    while (message := await wire.read(reader)) is not None:
        messages.append(message)
    return messages


async def test_messages_come_back_as_they_were() -> None:
    sent = [
        Hello(client=ClientInfo(name="test", pid=4)),
        FillJob(id=1, document="d", prefix="a = '😀'\n", suffix="", neighbours=[Neighbour("p", "t")]),
        Draft(id=1, text="x", confidence=[Span(1, 0.5)], pass_=2, cap=8),
        Cancel(id=1),
    ]
    assert await read_all(b"".join(map(wire.encode, sent))) == sent


def test_the_pass_of_a_draft_travels_under_its_own_name() -> None:
    body = msgspec.msgpack.decode(wire.encode(Draft(id=1, text="", pass_=3, cap=8))[wire.LENGTH_BYTES :])
    assert body["pass"] == 3
    assert body["type"] == "Draft"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\xff\xff\xff\xff", "over the cap"),
        (b"\x00\x00", "inside a frame's length"),
        (b"\x00\x00\x00\x09abc", "inside a frame"),
        (b"\x00\x00\x00\x01\xc1", "Not a message"),
        (wire.LENGTH_BYTES.to_bytes(4, "big") + b"\x81\xa1a\x01", "Not a message"),
    ],
)
async def test_bytes_that_are_no_frame_are_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(ProtocolError, match=sentence):
        await read_all(data)


async def test_fields_of_a_newer_peer_are_ignored() -> None:
    body = msgspec.msgpack.encode({"type": "Cancel", "id": 3, "later": True})
    assert await read_all(len(body).to_bytes(4, "big") + body) == [Cancel(id=3)]
