"""Frames on the socket between front and engine: a 4-byte big-endian length, then one msgpack message."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from dg_engine.errors import ProtocolError
from dg_engine.messages import AnyMessage, Message

FRAME_CAP: Final = 64 * 1024 * 1024
"""Bytes; a longer frame is refused before anything is allocated for it."""

LENGTH_BYTES: Final = 4

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)


def encode(message: Message) -> bytes:
    """One frame, length included. Raises ProtocolError when the message is over the cap."""
    body = _encoder.encode(message)
    if len(body) > FRAME_CAP:
        raise ProtocolError(f"A message of {len(body)} bytes is over the cap of {FRAME_CAP}.")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


def decode(body: bytes) -> AnyMessage:
    """The message of a frame's body. Raises ProtocolError when it is none of ours."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ProtocolError(f"Not a message of this protocol: {error}") from None


async def read(reader: asyncio.StreamReader) -> AnyMessage | None:
    """The next message, or None at the end of the stream. Raises ProtocolError for a frame cut short, too long or unreadable."""
    try:
        head = await reader.readexactly(LENGTH_BYTES)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise ProtocolError("The stream ended inside a frame's length.") from None
        return None
    length = int.from_bytes(head, "big")
    if length > FRAME_CAP:
        raise ProtocolError(f"A frame of {length} bytes is over the cap of {FRAME_CAP}.")
    try:
        return decode(await reader.readexactly(length))
    except asyncio.IncompleteReadError:
        raise ProtocolError("The stream ended inside a frame.") from None
