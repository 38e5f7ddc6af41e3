"""Gradient accumulation over micro-batches whose losses are means over unequal numbers of targets."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import msgspec

from tensan.core.events.things import Operation
from tensan.core.events.training import Loss, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.loss._shared import comparisons
from tensan.rules.traces import line_of

#: How unequal the numbers of targets must be, and how equal the factors of the losses.
_UNEQUAL = 1.25
_EQUAL = 1e-3
_MEAN = 1


class _MicroBatch(msgspec.Struct, frozen=True):
    loss: Loss
    operation: Operation
    targets: int
    ignored: float
    factor: float


class MeansOfUnequalMicroBatches(Rule):
    """
    ## What it does
    Finds gradient accumulation in which each micro-batch adds the mean over its own targets, while the numbers of targets that are
    not ignored differ, with padding or masked prompts say.

    ## Why is this bad?
    The mean of means is not the mean: a token in a micro-batch with few of them weighs more than one in a micro-batch with many.
    The same data give another gradient than in one large batch, and results depend on the number of accumulation steps.

    ## Example
    ```python
    loss = F.cross_entropy(logits, labels, ignore_index=-100) / accumulation_steps
    loss.backward()
    ```

    ## Use instead
    ```python
    num_targets = sum((labels != -100).sum() for _, labels in micro_batches)
    loss = F.cross_entropy(logits, labels, ignore_index=-100, reduction="sum") / num_targets
    loss.backward()
    ```

    ## Known problems
    Speaks only where two micro-batches of one step were recorded and their counts differ by a quarter or more.
    """

    code = "LOS111"
    name = "means-of-unequal-micro-batches"
    category = Category.SUSPICIOUS
    preview = True
    law = 3
    effect = "wrong-scale"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._since_step: list[_MicroBatch] = []

    def on_loss(self, loss: Loss) -> None:
        several = comparisons(loss)
        whole = loss.results.get(-1)
        if len(several) != 1 or several[0].loss != "nll_loss" or whole is None:
            return
        operation = several[0].operation
        part, given = loss.results.get(operation.index), loss.spreads[operation.index][1]
        arguments = operation.settings.get("arguments", ())
        assert isinstance(arguments, tuple), arguments
        numbers = [item for item in arguments if isinstance(item, int) and not isinstance(item, bool)]
        if part and given is not None and numbers[:1] == [_MEAN]:
            targets = round(prod(operation.inputs[1].shape) * (1 - given.ignored))
            self._since_step.append(_MicroBatch(loss, operation, targets, given.ignored, whole / part))

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        several, self._since_step = self._since_step, []
        if len(several) < 2 or len({line_of(each.operation.site) for each in several}) != 1:
            return
        self.armed = True
        fewest, most = min(several, key=lambda each: each.targets), max(several, key=lambda each: each.targets)
        unequal = fewest.targets > 0 and most.targets > _UNEQUAL * fewest.targets and most.ignored + fewest.ignored > 0
        if unequal and abs(most.factor - fewest.factor) <= _EQUAL * abs(most.factor):
            yield self._finding(event, fewest, most)

    def _finding(self, event: OptimizerStep, fewest: _MicroBatch, most: _MicroBatch) -> Finding:
        return self.finding(
            f"means over {fewest.targets} and {most.targets} targets are accumulated as if they were over equally many",
            at=most.operation.site,
            event=most.loss,
            label="the mean over this micro-batch's own targets",
            evidence={"targets": [fewest.targets, most.targets], "factor": round(most.factor, 6)},
            related=[("they are used together here", event.site)],
            proof_note=(
                f"both losses went into the gradient with the same factor, {most.factor:.4g}, "
                f"so a target of the one weighs {most.targets / fewest.targets:.3g} times one of the other"
            ),
            help='sum over the targets, `reduction="sum"`, and divide by the number of targets in all micro-batches of the step',
            subjects=[event.optimizer.id],
        )
