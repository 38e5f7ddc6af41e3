"""Does watching change a program? Runs it bare and watched and compares all that it prints, writes and leaves behind."""

from __future__ import annotations

from pathlib import Path

from tensan.testing.remains import differences
from tensan.testing.stem import Outcome, Stem


def changes(script: Path, stem: Stem, *, remains: bool = True, limit: float = 120.0) -> list[str]:
    """Returns what differs between a bare and a watched run of a program; nothing where watching is neutral.

    Args:
        script: the program.
        stem: runs it.
        remains: whether to compare what is left in memory too; modules and optimizers then live to the program's end.
        limit: seconds for each of the two runs.
    """
    bare = stem.run(script, watched=False, remains=remains, limit=limit)
    watched = stem.run(script, remains=remains, limit=limit)
    return compare(bare, watched)


def compare(one: Outcome, other: Outcome) -> list[str]:
    """Returns the names of what two runs of a program do not have in common."""
    streams = [what for what in ("status", "stdout", "stderr", "files") if getattr(one, what) != getattr(other, what)]
    return streams + differences(one.remains, other.remains)
