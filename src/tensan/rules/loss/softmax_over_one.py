"""A softmax over an axis of length one, whose result is 1 whatever the model says."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import Comparison, comparisons, place_of, softmax_axis, source
from tensan.rules.optimizer._shared import Evidence
from tensan.rules.traces import line_of

_SOFTMAXES = frozenset({"softmax", "log_softmax"})
#: A last batch of one sample has axes of length one as well.
_LEAST_STEPS = 2


class SoftmaxOverOne(Rule):
    """
    ## What it does
    Finds a softmax over an axis that has one entry, whose result is compared with targets: `nn.Softmax(dim=1)` or
    `nn.CrossEntropyLoss` on a model with one output.

    ## Why is this bad?
    The softmax of one value is 1, always. The prediction is a constant, cross-entropy of it is 0 (or does not depend on the model),
    and no gradient ever reaches the model. Nothing is learned, and the loss may look perfect.

    ## Example
    ```python
    self.head = nn.Linear(64, 1)
    loss = F.cross_entropy(model(x), y.float().unsqueeze(1))
    ```

    ## Use instead
    ```python
    loss = F.binary_cross_entropy_with_logits(model(x), y.float().unsqueeze(1))
    ```

    ## Known problems
    Attention over a sequence of one token passes: its weights are not compared with targets.
    """

    code = "LOS103"
    name = "softmax-over-one"
    category = Category.CORRECTNESS
    law = 8
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, Evidence[tuple[Loss, Comparison, Operation]]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for comparison in comparisons(loss):
            maker = source(loss.operations, comparison.prediction, also=frozenset({"log"}))
            if maker is None or maker.name not in _SOFTMAXES:
                continue
            axis = softmax_axis(maker)
            if axis is None or not maker.inputs[0].requires_grad:
                continue
            self.armed = True
            evidence = self._seen.setdefault(maker.site, Evidence(_LEAST_STEPS))
            if maker.inputs[0].shape[axis] != 1:
                evidence.refute()
                continue
            for seen in evidence.add((loss, comparison, maker)):
                yield self._finding(*seen, axis)

    def _finding(self, loss: Loss, comparison: Comparison, maker: Operation, axis: int) -> Finding:
        taker = comparison.operation
        apart = line_of(place_of(maker, taker)) != line_of(taker.site)
        result = "1" if maker.name == "softmax" else "0, the logarithm of 1,"
        return self.finding(
            f"softmax over an axis of length one: the prediction is always {result.removesuffix(',')}",
            at=place_of(maker, taker),
            event=loss,
            label=f"{maker.inputs[0]} over axis {axis}",
            evidence={"input": str(maker.inputs[0]), "axis": axis},
            related=[("compared with the targets here", taker.site)] if apart else (),
            proof_note=f"axis {axis} of {maker.inputs[0]} has one entry, so the result is {result} for every input, and its gradient is 0",
            help="for one output use a sigmoid: `binary_cross_entropy_with_logits(outputs, targets)`; for classes, one output for each",
            subjects=["*"],
        )
