"""The seed of this run: what `tensan.deterministic` was given; drawn once where it was not called, so that two runs differ."""

from __future__ import annotations

import os

_seed: int | None = None
_drawn: int | None = None


def run_seed() -> int:
    """Returns it; a process that was forked has that of its parent."""
    global _drawn
    if _seed is not None:
        return _seed
    if _drawn is None:
        _drawn = int.from_bytes(os.urandom(4))
    return _drawn


def set_run_seed(seed: int) -> None:
    """Takes it down."""
    global _seed
    _seed = seed


def is_set() -> bool:
    """Tells whether it was given; one that was drawn is this process's own."""
    return _seed is not None
