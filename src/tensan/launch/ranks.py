"""The processes that torchrun starts together: which one this is, and what its siblings have written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from tensan.core import runfile
from tensan.core.errors import RunFileError

#: Kind of the record that ties the run files of siblings together: they have one parent, torchrun's agent.
RECORD = "launch"


def rank(environment: Mapping[str, str] = os.environ) -> int | None:
    """Returns the number of this process among its siblings, or None where it runs alone."""
    text = environment.get("RANK", "")
    return int(text) if text.isdecimal() else None


def record() -> dict[str, int]:
    """Returns what this process writes into its run file for its siblings to find."""
    return {"agent": os.getppid(), "rank": rank() or 0}


def known_to_first(folder: Path) -> frozenset[str]:
    """Returns fingerprints of what rank 0 of this launch has found so far, so that the others need not repeat it."""
    for path in _siblings(folder, pattern="*-rank0.jsonl"):
        try:
            return frozenset(told.fingerprint for told in runfile.read(path).findings)
        except RunFileError:
            continue
    return frozenset()


def together(path: Path) -> list[Path]:
    """Returns the run files of the processes that were started together with the one that wrote a run file, itself first."""
    agent = _agent(path)
    others = [other for other in sorted(path.parent.glob("*-rank*.jsonl")) if other != path and _agent(other) == agent] if agent else []
    return [path, *others]


def _agent(path: Path) -> object:
    """Returns the process that started the writer of a run file among siblings; None where it ran alone."""
    try:
        with path.open("rb") as file:
            records = [msgspec.json.decode(line) for line in (file.readline() for _ in range(4)) if line.endswith(b"\n")]
        return next((item["record"]["agent"] for item in records if item["kind"] == RECORD), None)
    except (OSError, msgspec.DecodeError, KeyError, TypeError):
        return None


def wait_for_others(folder: Path, *, seconds: float) -> None:
    """Waits until the siblings on this machine have ended: a failing rank makes torchrun kill the others."""
    until = time.monotonic() + seconds
    processes = [process for path in _siblings(folder, pattern="*-rank*.jsonl") if (process := _process_of(path))]
    while any(map(_runs, processes)) and time.monotonic() < until:
        time.sleep(0.05)


def _siblings(folder: Path, *, pattern: str) -> Iterator[Path]:
    """Yields the run files of the other processes that have our parent, the newest first."""
    own, agent = f"-{os.getpid()}-", os.getppid()
    paths = [path for path in folder.glob(pattern) if own not in path.name]
    for path in sorted(paths, reverse=True):
        try:
            with path.open("rb") as file:
                lines = [file.readline() for _ in range(4)]
            records = [msgspec.json.decode(line) for line in lines if line.endswith(b"\n")]
        except (OSError, msgspec.DecodeError):
            continue
        if any(item.get("kind") == RECORD and item["record"].get("agent") == agent for item in records if isinstance(item, dict)):
            yield path


def _process_of(path: Path) -> int:
    parts = path.stem.split("-")
    return int(parts[2]) if len(parts) > 2 and parts[2].isdecimal() else 0


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    try:
        # A zombie has ended; its parent has only not looked yet.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return True
