"""Reads a run file of W&B: records in LevelDB's log format, each one of W&B's own messages. Its package has no reader any longer."""

import struct
from pathlib import Path

from wandb.proto.wandb_internal_pb2 import Record

_BLOCK, _HEAD, _FULL, _LAST = 32768, 7, 1, 4


def records(blob):
    """Yields what was recorded, in order."""
    assert blob[:4] == b":W&B", blob[:8]
    position, parts = _HEAD, []
    while position + _HEAD <= len(blob):
        if _BLOCK - position % _BLOCK < _HEAD:  # no head fits: the rest of the block is empty
            position += _BLOCK - position % _BLOCK
            continue
        _sum, length, kind = struct.unpack_from("<IHB", blob, position)
        parts.append(blob[position + _HEAD : position + _HEAD + length])
        position += _HEAD + length
        if kind in (_FULL, _LAST):
            yield Record.FromString(b"".join(parts))
            parts = []


if __name__ == "__main__":
    import sys

    for record in records(Path(sys.argv[1]).read_bytes()):
        print(record.WhichOneof("record_type"), " ".join(str(record).split())[:300])
