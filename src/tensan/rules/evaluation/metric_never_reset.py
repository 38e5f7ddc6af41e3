"""EVL170: a sum over the batches goes on from epoch to epoch, and is divided by the length of one."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.evaluation import MetricSummed
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted, line_of


class MetricNeverReset(Rule):
    """
    ## What it does

    Finds losses and hits that are added up over the batches of a loader and divided by what belongs to one pass over it, while the sum is
    never set back for the next pass, and objects with `update`, `compute` and `reset` of which the last is never called.

    ## Why is this bad?

    From the second epoch on the figure is that of all epochs together over the length of one: an accuracy that rises above 100 %, a
    loss that seems to climb while it falls. Early stopping and schedules that follow it are misled.

    ## Example

    ```python
    correct = 0
    for epoch in range(10):
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
        print(correct / len(loader.dataset))
    ```

    ## Use instead

    ```python
    for epoch in range(10):
        correct = 0
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
        print(correct / len(loader.dataset))
    ```

    ## Known problems

    Read off the source: only sums and divisions in one function are seen, by `len(...)` or by a count that is itself set back.
    Where sum and count both go on, the mean over all epochs may be meant. Of an object that gathers nothing is said where the program
    calls any `reset` that may be its own, or makes another for each pass.
    """

    code = "EVL170"
    name = "metric-never-reset"
    category = Category.SUSPICIOUS
    law = 15

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._passes: dict[object, list[MetricSummed]] = {}

    def on_metric_summed(self, event: MetricSummed) -> None:
        self.armed = True
        if not event.is_reset:
            self._passes.setdefault((line_of(event.site), event.loader), []).append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known how many passes there were."""
        for passes in self._passes.values():
            if len(passes) > 1:
                yield self._finding(passes[1], times=len(passes))

    def _finding(self, event: MetricSummed, *, times: int) -> Finding:
        if not event.by:
            return self._of_object(event, times=times)
        return self.finding(
            f"`{event.name}` is added up over {counted(times, 'epoch')} and divided by `{event.by}`, which is one of them",
            at=event.site,
            event=event,
            label="goes on from where the epoch before left it",
            evidence={"epochs": times, "divided by": event.by},
            related=[("it is divided here, after each epoch", event.divided)],
            proof_note=f"the loader was read {counted(times, 'time')}, and nothing sets `{event.name}` back in between",
            help=f"set it back before each pass: `{event.name} = 0`",
        )

    def _of_object(self, event: MetricSummed, *, times: int) -> Finding:
        return self.finding(
            f"`{event.name}` gathers over {counted(times, 'epoch')}: it is asked after each, and never reset",
            at=event.site,
            event=event,
            label="adds to what all epochs before have left",
            evidence={"epochs": times},
            related=[("it is asked here, after each epoch", event.divided)],
            proof_note=f"the loader was read {counted(times, 'time')}, and nothing in the program calls `{event.name}.reset()`",
            help=f"begin anew for each pass: `{event.name}.reset()`",
        )
