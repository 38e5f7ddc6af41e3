"""MOD115: a buffer that is to be filled in turns is written at the same place in each step."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.layers import RingWritten
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence

_LEAST_STEPS = 2


class RingNeverTurns(Rule):
    """
    ## What it does

    Finds registered buffers, such as a queue of negatives, that each step writes to at a position which the program keeps in another
    buffer and never moves.

    ## Why is this bad?

    Only the first entries are ever renewed. All others stay what they were made as, most often noise, and the loss is computed against
    them.

    ## Example

    ```python
    at = int(self.position)
    self.queue[at : at + len(keys)] = keys
    at = (at + len(keys)) % len(self.queue)
    ```

    ## Use instead

    ```python
    at = int(self.position)
    self.queue[at : at + len(keys)] = keys
    self.position[0] = (at + len(keys)) % len(self.queue)
    ```

    ## Known problems

    That nothing moves the position is read in the source; where it is handed on to other functions nothing is said.
    """

    code = "MOD115"
    name = "ring-never-turns"
    category = Category.SUSPICIOUS
    law = 15
    preview = True  # what moves the position is told from the source, which has not been tried on enough programs yet

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[tuple[str, int], Evidence[RingWritten]] = {}

    def on_loss(self, event: Loss) -> None:
        self.armed = self.armed or any(operation.settings.get("writes") for operation in event.operations)

    def on_ring_written(self, event: RingWritten) -> Iterator[Finding]:
        self.armed = True
        for seen in self._evidence.setdefault((event.buffer, event.start), Evidence(_LEAST_STEPS)).add(event):
            yield self._finding(seen)

    def _finding(self, event: RingWritten) -> Finding:
        end = event.start + event.count
        related = [("the next position is worked out here, and nothing keeps it", event.advanced)]
        return self.finding(
            f"`{event.buffer}` is written at the same place in each step: nothing moves `{event.pointer}`",
            at=event.site,
            event=event,
            label=f"entries {event.start} to {end - 1} of {event.length}, each time",
            evidence={"start": event.start, "entries": event.count, "of": event.length},
            related=related,
            proof_note=f"two recorded steps or more wrote there, and no statement of the program writes to `{event.pointer}`",
            help=f"keep the next position: `self.{event.pointer}.fill_(...)`",
        )
