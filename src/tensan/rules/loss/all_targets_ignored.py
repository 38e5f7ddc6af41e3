"""A loss whose targets are all of the kind that it was told to ignore."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import ancestors
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

#: One batch without a target may happen, in masked language modelling say.
_LEAST_STEPS = 2


class AllTargetsIgnored(Rule):
    """
    ## What it does
    Finds batches, one after the other, in which every target equals the `ignore_index` of the loss.

    ## Why is this bad?
    Nothing is learned from such a batch: its gradient is zero, and its mean is not a number (0 divided by 0) while training goes
    on. It happens where prompts fill the whole window so that the answers are cut off, where labels are masked by mistake, or where
    `ignore_index` is a class that is meant.

    ## Example
    ```python
    labels[:, :prompt_length] = -100           # the prompt is as long as the window
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
    ```

    ## Use instead
    ```python
    labels[:, :prompt_length] = -100
    assert (labels != -100).any(), "every target is ignored"
    ```

    ## Known problems
    A single batch without targets is not told.
    """

    code = "LOS107"
    name = "all-targets-ignored"
    category = Category.CORRECTNESS
    law = 8
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update", "non-finite"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, Evidence[tuple[Loss, Operation]]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for index in sorted(ancestors(loss.operations, [loss.value.producer])):
            operation = loss.operations[index]
            given = loss.spreads.get(index, (None, None))[1]
            if operation.name != "nll_loss" or given is None:
                continue
            self.armed = True
            evidence = self._seen.setdefault(operation.site, Evidence(_LEAST_STEPS))
            if given.ignored < 1:
                evidence.refute()  # a batch without a target now and then is no fault, and its turn may come at each step that is recorded
                continue
            for seen in evidence.add((loss, operation)):
                yield self._finding(*seen, ignored=given.minimum)

    def _finding(self, loss: Loss, operation: Operation, *, ignored: float) -> Finding:
        target = operation.inputs[1]
        value = loss.results.get(operation.index)
        return self.finding(
            f"every target is {ignored:.0f}, which the loss ignores: nothing is learned",
            at=operation.site,
            event=loss,
            label=f"{target}, all of it ignored",
            evidence={"targets": str(target), "ignore_index": int(ignored)},
            proof_note=f"all values of {target} equal `ignore_index`, {_LEAST_STEPS} recorded steps in a row"
            + (f"; the loss is {value:.3g}" if value is not None else ""),
            help="look at how the labels are masked and cut, and at `ignore_index` where that is a class of its own",
            subjects=["*"],
        )
