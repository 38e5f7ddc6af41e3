"""Puts recovery in a watch's gate, as its settings ask."""

from __future__ import annotations

from pathlib import Path

from tensan.core.settings import Settings
from tensan.core.watch import Watch
from tensan.recovery.keeping import BATCHES, Keeping
from tensan.recovery.policy import Policy


def attach(watch: Watch, held: Settings, folder: Path) -> None:
    """Sets the judge and the keeper of a watch.

    Args:
        watch: of this process.
        held: settings that ask for recovery.
        folder: where run files lie, for a run that has none.
    """
    rewinds = held.recover == "rewind"
    base = watch.run_file.path if watch.run_file is not None else folder / "run"
    snapshots = Path(held.snapshots).absolute() if held.snapshots else None
    if snapshots is not None and watch.rank:
        snapshots = snapshots / f"rank{watch.rank}"
    interval = held.alarm_interval if rewinds else 0
    watch.gate.judges.append(Policy(rewinds=rewinds, bad_steps=held.bad_steps, spike=held.spike, interval=interval).judge)
    watch.gate.follows = interval > 0
    watch.gate.keeper = Keeping(batches=base.with_suffix(BATCHES), snapshots=snapshots)
    watch.gate.rewinds = rewinds
    watch.gate.every = held.snapshot_every
