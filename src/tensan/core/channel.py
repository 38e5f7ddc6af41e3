"""A side channel between the processes of one run: each writes its own file, the root process reads them all.

A file per process needs no lock and no server, survives a killed worker, and carries nothing through pickle.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

Message = dict[str, object]


class Channel:
    """Messages of the other processes of this run.

    Args:
        folder: where the files lie; made when the first message is sent.
        process: name of this process's file; the process id by default, taken at each send, since a fork keeps the object.
    """

    def __init__(self, folder: Path, *, process: str | None = None) -> None:
        self.folder = folder
        self._process = process
        self._read: dict[str, int] = {}

    def send(self, message: Message) -> None:
        """Appends a message in one write, so that it is there whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        line = msgspec.json.encode(message, enc_hook=str) + b"\n"
        handle = os.open(self.folder / f"{self._process or os.getpid()}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)

    def receive(self) -> Iterator[Message]:
        """Yields what the other processes have sent since the last call; a line still being written waits for the next."""
        own = f"{self._process or os.getpid()}.jsonl"
        for path in sorted(self.folder.glob("*.jsonl")) if self.folder.is_dir() else ():
            if path.name == own:
                continue
            with path.open("rb") as file:
                file.seek(self._read.get(path.name, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[path.name] = self._read.get(path.name, 0) + len(line)
                    try:
                        yield msgspec.json.decode(line, type=Message)
                    except msgspec.DecodeError:  # a process was killed while it wrote, and another with its number went on
                        continue
