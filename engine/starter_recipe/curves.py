"""Draw a run's losses: `curves.py RUN` reads RUN/curves.jsonl, writes RUN/curves.png. Needs the standard library alone."""

from __future__ import annotations

import argparse
import json
import struct
import zlib
from itertools import pairwise
from pathlib import Path

WIDTH, HEIGHT, MARGIN = 900, 420, 30
LINES = {"causal": (31, 119, 180), "denoise": (214, 39, 40), "held_causal": (0, 60, 110), "held_denoise": (120, 0, 0)}
GREY = (225, 225, 225)


class Picture:
    """RGB pixels, white at first."""

    def __init__(self) -> None:
        self.pixels = bytearray(b"\xff" * (WIDTH * HEIGHT * 3))

    def dot(self, x: int, y: int, colour: tuple[int, int, int]) -> None:
        """One pixel."""
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            self.pixels[(y * WIDTH + x) * 3 : (y * WIDTH + x) * 3 + 3] = bytes(colour)

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: tuple[int, int, int]) -> None:
        """A straight line, two pixels thick."""
        steps = int(max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1))
        for step in range(steps + 1):
            x, y = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
            self.dot(int(x), int(y), colour)
            self.dot(int(x), int(y) + 1, colour)

    def png(self) -> bytes:
        """The file's bytes."""
        rows = b"".join(b"\0" + self.pixels[y * WIDTH * 3 : (y + 1) * WIDTH * 3] for y in range(HEIGHT))
        header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
        parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def draw(rows: list[dict[str, float]]) -> bytes:
    """All lines over steps; a grey line each nat."""
    picture = Picture()
    values = [row[name] for row in rows for name in LINES if name in row]
    low, high, last = min(values), max(values), max(row["step"] for row in rows)

    def place(step: float, value: float) -> tuple[float, float]:
        x = MARGIN + step / last * (WIDTH - 2 * MARGIN)
        return x, HEIGHT - MARGIN - (value - low) / max(1e-9, high - low) * (HEIGHT - 2 * MARGIN)

    for nat in range(int(low), int(high) + 1):
        picture.line(place(0, nat), place(last, nat), GREY)
    for name, colour in LINES.items():
        points = [place(row["step"], row[name]) for row in rows if name in row]
        for start, end in pairwise(points):
            picture.line(start, end, colour)
    return picture.png()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    options = parser.parse_args()
    rows = [json.loads(line) for line in (options.run / "curves.jsonl").read_text("utf-8").splitlines()]
    if rows:
        (options.run / "curves.png").write_bytes(draw(rows))
        print(f"{options.run / 'curves.png'}: blue causal, red denoising, dark held out; a grey line each nat")


if __name__ == "__main__":
    main()
