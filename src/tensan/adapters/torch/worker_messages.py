"""Takes in what worker processes tell while the run goes on, so that whoever follows it sees their findings when they are made."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: The first epochs, at whose start all is taken in: by then the workers have told what they tell of the epoch before.
FIRST_EPOCHS = 16
#: Seconds between two looks, and the part of the time since the last one that a look may have taken.
LOOK_EVERY, LOOK_PART = 1.0, 1 / 500


class WorkerMessages:
    """When what workers have told is taken in, before the script's end."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._next = 0.0
        self._epochs = 0

    def epoch(self, record: LoaderRecord) -> None:
        """A loader begins an epoch, of which nobody has been told yet."""
        if record.num_workers and self._epochs < FIRST_EPOCHS:
            self._epochs += 1
            self._take()
        else:
            self.look()

    def look(self) -> None:
        """The run has gone on: takes in what has come, unless that was done a moment ago."""
        if time.monotonic() >= self._next and any(record.num_workers for record in self.recorder.loaders.all):
            self._take()

    def _take(self) -> None:
        began = time.monotonic()
        self.recorder.watch.receive()
        ended = time.monotonic()
        self._next = ended + max(LOOK_EVERY, (ended - began) / LOOK_PART)
