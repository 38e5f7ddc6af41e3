"""Keeps batches that were set aside below the run's folder, and snapshots where the user asked for them; both bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tensan.recovery import folders

#: Batches that are set aside, and the bytes that they may take.
MOST_BATCHES = 32
MOST_BYTES = 256 << 20
#: Snapshots that stay on disk: one more than can be half replaced.
MOST_SNAPSHOTS = 3
#: What a folder of batches ends in, beside the run file of the same name.
BATCHES = ".quarantine"


class Keeping:
    """The keeper of one run.

    Args:
        batches: folder for batches that are set aside; it is made when there is one.
        snapshots: folder for snapshots; None keeps none on disk.
    """

    def __init__(self, *, batches: Path, snapshots: Path | None) -> None:
        self._batches, self._snapshots = batches, snapshots
        self._num_batches = self._bytes = 0
        if snapshots is not None:
            folders.clear(snapshots)

    def quarantine(self, *, step: int, size: int, write: Callable[[Path], None], about: Mapping[str, Any]) -> Path | None:
        """Keeps a batch; returns its folder, or None where there is no room left."""
        if self._num_batches >= MOST_BATCHES or self._bytes + size > MOST_BYTES:
            return None
        folder = self._batches / _name(step, self._num_batches)
        folders.write(folder, step=step, fill=write, about=about)
        self._num_batches += 1
        self._bytes += size
        return folder

    @property
    def keeps_snapshots(self) -> bool:
        """Whether snapshots go to disk."""
        return self._snapshots is not None

    def snapshot(self, *, step: int, write: Callable[[Path], None], about: Mapping[str, Any]) -> Path | None:
        """Keeps a snapshot, and then no more than the last few; returns its folder."""
        if self._snapshots is None:
            return None
        folder = self._snapshots / _name(step)
        number = 0
        while folder.exists():  # of a run that this one goes on from
            folder, number = self._snapshots / _name(step, number), number + 1
        folders.write(folder, step=step, fill=write, about=about)
        others = [path for path in folders.kept(self._snapshots) if path != folder]
        for path in others[: max(0, len(others) + 1 - MOST_SNAPSHOTS)]:
            folders.remove(path)
        return folder


def _name(step: int, number: int | None = None) -> str:
    return f"step-{step:08d}" + (f"-{number:02d}" if number is not None else "")
