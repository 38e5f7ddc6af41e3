"""DAT106: a loader that does not shuffle is begun anew for each step, so only its first batch is ever learned from."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, LoaderKey

#: Steps in a row, each from a new beginning of the loader.
_IN_A_ROW = 6


class FirstBatchOnly(Rule):
    """
    ## What it does

    Finds training that begins a loader anew for each step, takes one batch and throws the rest away, where the loader does not
    shuffle.

    ## Why is this bad?

    `next(iter(loader))` makes a new iterator each time. Without shuffling its first batch is always the same one, so the model
    is trained on that batch and never sees the rest of the data.

    ## Example

    ```python
    loader = DataLoader(data, batch_size=32)
    for step in range(1000):
        x, y = next(iter(loader))
    ```

    ## Use instead

    ```python
    loader = DataLoader(data, batch_size=32, shuffle=True)
    for epoch in range(epochs):
        for x, y in loader:
            ...
    ```

    ## Known problems

    Overfitting one batch on purpose, to see whether a model can learn at all, looks the same when the batch is fetched anew for each step:
    fetch it once, before the loop. A dataset that draws its items at random, whatever the index, passes.
    """

    code = "DAT106"
    name = "first-batch-only"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._rows: dict[LoaderKey, list[EpochStart]] = {}

    def on_epoch_start(self, event: EpochStart) -> Iterator[Finding]:
        loader = event.loader
        if loader.order != "sequential" or (loader.length or 0) < 2:
            return
        self.armed = True
        row = self._rows.setdefault(Epochs.key(loader), [])
        if row:
            cut_short = loader.delivered == 1 and event.step - row[-1].step <= 1
            if not cut_short or loader.redrawn:
                row.clear()
        row.append(event)
        if loader.trained and len(row) > _IN_A_ROW and row[-1].step - row[0].step >= _IN_A_ROW // 2:
            yield self._finding(event, loader.length or 0)

    def _finding(self, event: EpochStart, length: int) -> Finding:
        return self.finding(
            f"every step learns from the first of {length} batches: the loader begins anew each time and does not shuffle",
            at=event.site,
            event=event,
            label=f"begins the loader anew; its other {length - 1} batches are never seen",
            evidence={"batches": length},
            related=[("the loader is made here", event.loader.made)],
            proof_note=f"begun {_IN_A_ROW + 1} times in a row in stored order, and left after one batch and at most one step each time",
            help="go through the loader: `for x, y in loader:`; or make it with `shuffle=True`",
            subjects=[event.loader.id],
        )
