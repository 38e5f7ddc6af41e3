"""EVL124: the metric is computed after the loop over the batches, of what the last one has left."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.evaluation import Evaluation, MetricSummed
from tensan.core.events.layers import OutputsOverwritten
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule


class LastBatchOnly(Rule):
    """
    ## What it does

    Finds an evaluation whose loop over the batches keeps nothing, so that what is compared after it is the last batch alone, and sums that
    are set to zero with each batch and divided after the loop.

    ## Why is this bad?

    The number that is printed, or by which the best model is chosen, is that of a few samples, and always of the same few. It looks like
    that of the whole set, only noisier.

    ## Example

    ```python
    for x, y in loader:
        predicted = model(x).argmax(1)
    accuracy = (predicted == y).float().mean()
    ```

    ## Use instead

    ```python
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum()
    accuracy = correct / len(loader.dataset)
    ```

    ## Known problems

    Loops that do anything else with a batch than give names to what comes of it pass.
    """

    code = "EVL124"
    name = "last-batch-only"
    category = Category.SUSPICIOUS
    law = 15
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._lengths: dict[str, int | None] = {}

    def on_epoch_start(self, event: EpochStart) -> None:
        self._lengths[event.loader.id] = event.loader.length

    def on_metric_summed(self, event: MetricSummed) -> Iterator[Finding]:
        self.armed = True
        length = self._lengths.get(event.loader)
        if event.anew is None or not length or length < 2:
            return
        yield self.finding(
            f"`{event.name}` begins anew with each batch: what is divided by `{event.by}` after the loop is the last batch alone",
            at=event.anew,
            event=event,
            label="forgets the batches before",
            evidence={"batches": length, "divided by": event.by},
            related=[("divided here", event.divided)],
            proof_note=f"the loop goes over {length} batches, and each of them sets `{event.name}` back before it adds to it",
            help=f"set `{event.name}` once, before the loop",
        )

    def on_evaluation(self, event: Evaluation) -> None:
        self.armed = True

    def on_outputs_overwritten(self, event: OutputsOverwritten) -> Iterator[Finding]:
        names = ", ".join(f"`{name}`" for name in event.names)
        yield self.finding(
            f"each batch overwrites {names} of the one before: what is measured after the loop is the last batch alone",
            at=event.used,
            event=event,
            label="of the last batch",
            related=[("overwritten in each pass", event.site), ("the loop over the batches", event.loop)],
            proof_note="the loop's statements keep nothing of a batch but these names, and there is more than one batch",
            help="sum up in the loop, or collect what comes of the batches in a list and put it together",
        )
