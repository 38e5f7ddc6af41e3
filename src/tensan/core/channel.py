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
        for name in self._with_news():
            with (self.folder / name).open("rb") as file:
                file.seek(self._read.get(name, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[name] = self._read.get(name, 0) + len(line)
                    try:
                        yield msgspec.json.decode(line, type=Message)
                    except msgspec.DecodeError:  # a process was killed while it wrote, and another with its number went on
                        continue

    def _with_news(self) -> list[str]:
        """Returns the files of other processes that hold more than was read: most belong to processes that have ended long ago."""
        own = f"{self._process or os.getpid()}.jsonl"
        try:
            with os.scandir(self.folder) as files:
                names = ((file.name, file.stat().st_size) for file in files if file.name.endswith(".jsonl") and file.name != own)
                return sorted(name for name, size in names if size > self._read.get(name, 0))
        except FileNotFoundError:
            return []
