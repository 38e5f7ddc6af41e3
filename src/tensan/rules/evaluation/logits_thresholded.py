"""EVL129: logits are compared with 0.5, which is where a probability is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.things import Operation, Shape, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT
from tensan.core.rule import Rule

_LOSS = "binary_cross_entropy_with_logits"
#: Hand values on as they are.
_SAME_VALUES = LAYOUT | {"concatenate"}
_HALF = 0.5
_CUTS = frozenset({"aten::gt", "aten::ge", "aten::lt", "aten::le"})
#: A logit of 0.5 is a probability of this.
_PROBABILITY = 0.6225


class LogitsThresholded(Rule):
    """
    ## What it does

    Finds evaluations that compare a model's output with 0.5, or round it, though its loss has taken that output for logits and it lies
    outside of 0 to 1.

    ## Why is this bad?

    `BCEWithLogitsLoss` applies the sigmoid itself, so what the model returns is a logit, and a probability of one half is a logit of 0.
    Cut at 0.5, a sample counts as positive from a probability of 0.62 on: recall is lower than the model deserves, and so is what is
    decided by it.

    ## Example

    ```python
    loss = F.binary_cross_entropy_with_logits(model(x), y)
    ...
    predicted = model(x) > 0.5
    ```

    ## Use instead

    ```python
    predicted = model(x) > 0
    predicted = torch.sigmoid(model(x)) > 0.5
    ```

    ## Known problems

    A threshold of another number is taken to be chosen. What is compared after it became a NumPy array is not seen.
    """

    code = "EVL129"
    name = "logits-thresholded"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._logits: set[Shape] = set()
        self._told: set[object] = set()

    def on_loss(self, loss: Loss) -> None:
        for operation in loss.operations:
            if operation.name == _LOSS and operation.inputs:
                self._logits.add(_flat(operation.inputs[0].shape))

    def on_outputs_measured(self, event: OutputsMeasured) -> Iterator[Finding]:
        for operation in event.operations:
            output = _compared_output(event.operations, operation)
            if output is None or _flat(output.shape) not in self._logits:
                continue
            self.armed = True
            outside = event.low is not None and event.high is not None and (event.low < 0 or event.high > 1)
            if outside and _cut_at_half(operation) and operation.site not in self._told:
                self._told.add(operation.site)
                yield self._finding(event, operation, output)

    def _finding(self, event: OutputsMeasured, operation: Operation, output: Value) -> Finding:
        what = "rounded" if operation.settings.get("aten") == "aten::round" else "compared with 0.5"
        return self.finding(
            f"logits are {what} as if they were probabilities",
            at=operation.site,
            event=event,
            label=f"{output} lies between {event.low:.3g} and {event.high:.3g}: one half is where it is 0",
            evidence={"output": str(output), "from": event.low, "to": event.high},
            proof_note=f"the loss applies the sigmoid to this output itself; a sample counts from a probability of {_PROBABILITY:.2f} on",
            help="compare the logits with 0, or their sigmoid with 0.5",
        )


def _flat(shape: Shape) -> Shape:
    """Returns the sizes after the first that are not 1: an axis of one unit is squeezed as people like."""
    return tuple(size for size in shape[1:] if size != 1)


def _compared_output(operations: Sequence[Operation], operation: Operation) -> Value | None:
    """Returns the model's output where an operation cuts it at a number."""
    is_cut = operation.name == "compare" or operation.settings.get("aten") == "aten::round"
    if not is_cut or len(operation.inputs) != 1:
        return None
    value = operation.inputs[0]
    while value.producer >= 0 and operations[value.producer].name in _SAME_VALUES and operations[value.producer].inputs:
        value = operations[value.producer].inputs[0]
    return value if value.producer < 0 and (value.subject or "").startswith("output") else None


def _cut_at_half(operation: Operation) -> bool:
    aten, arguments = operation.settings.get("aten"), operation.settings.get("arguments")
    return not arguments if aten == "aten::round" else aten in _CUTS and arguments == (_HALF,)
