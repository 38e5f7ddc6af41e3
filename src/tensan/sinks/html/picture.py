"""A PNG of a few colours, as a page can hold it: one byte a cell."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

Colour = tuple[int, int, int, int]


def address(rows: Sequence[bytes], palette: Sequence[Colour]) -> str:
    """Returns a picture as a `data:` address.

    Args:
        rows: one byte a cell, its number in the palette; all of one length.
        palette: red, green, blue and how solid.
    """
    width, height = len(rows[0]), len(rows)
    body = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    parts = (
        _part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _part(b"PLTE", b"".join(bytes(colour[:3]) for colour in palette)),
        _part(b"tRNS", bytes(colour[3] for colour in palette)),
        _part(b"IDAT", body),
        _part(b"IEND", b""),
    )
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def _part(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
