"""EVL121: the predicted class is looked for along the samples, not along the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.base import Event
from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.things import Operation, Shape, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.evaluation._measured import is_made_up, is_predicted, predicted

#: Keep the axes as they are.
_SAME_AXES = frozenset({"softmax", "log_softmax", "sigmoid", "exp", "cast", "copy", "alias", "detach", "div", "mul"})
_EQUALITY = frozenset({"aten::eq", "aten::ne"})


class ArgmaxOverBatch(Rule):
    """
    ## What it does

    Finds metrics that take the `argmax` of a classifier's output over the batch, `dim=0`, while its loss has the classes on the next axis.

    ## Why is this bad?

    It tells which sample is most of a class, not which class a sample is most of. Compared with labels this is a number without a
    meaning, and where batch and classes are equally many, or the labels are one-hot, nothing complains.

    ## Example

    ```python
    accuracy = (model(x).argmax(0) == y.argmax(0)).float().mean()       # y is one-hot
    ```

    ## Use instead

    ```python
    accuracy = (model(x).argmax(1) == y.argmax(1)).float().mean()
    ```

    ## Known problems

    Told only where the loss shows the axis of the classes: cross-entropy, or a log-softmax. Where the output is square and is searched
    along both axes, as for retrieval, nothing is told.
    """

    code = "EVL121"
    name = "argmax-over-batch"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._classes: set[tuple[int, int]] = set()

    def on_loss(self, event: Loss) -> Iterator[Finding]:
        for operation in event.operations:
            if operation.name in ("nll_loss", "log_softmax") and operation.inputs and len(operation.inputs[0].shape) > 1:
                shape = operation.inputs[0].shape
                if operation.name == "nll_loss" or _axis(operation) in (1, 1 - len(shape)):
                    self._classes.add((len(shape), shape[1]))
        yield from self._judged(event, event.operations, by="parameter")

    def on_outputs_measured(self, event: OutputsMeasured) -> Iterator[Finding]:
        yield from self._judged(event, event.operations, by="output")

    def _judged(self, event: Event, operations: Sequence[Operation], *, by: str) -> Iterator[Finding]:
        made = predicted(operations, by=by)
        searched = [found for found in operations if _is_argmax(found) and found.inputs and is_predicted(found.inputs[0], made, by=by)]
        for operation in searched:
            value = operation.inputs[0]
            shape = value.shape
            if len(shape) < 2 or (len(shape), shape[1]) not in self._classes:
                continue
            self.armed = True
            if _axis(operation) not in (0, -len(shape)) or shape[0] < 2 or _origin(operations, value) is None:
                continue
            along_both = any(
                other is not operation and other.inputs[0].shape == shape and _axis(other) not in (0, -len(shape)) for other in searched
            )
            met = _met(operations, operation, made, by=by)
            if met is not None and not along_both and not is_made_up(operations, met):
                yield self._finding(event, operation, shape, met)

    def _finding(self, event: Event, operation: Operation, shape: Shape, met: Value) -> Finding:
        return self.finding(
            f"the predicted class is taken over the batch: argmax over axis 0 of {operation.inputs[0]}",
            at=operation.site,
            event=event,
            label=f"finds one of {shape[0]} samples for each of {shape[1]} classes",
            evidence={"output": str(operation.inputs[0]), "compared with": str(met)},
            proof_note=f"the loss has its {shape[1]} classes on axis 1, and what is found along axis 0 is compared with {met}",
            help="search along the classes: `argmax(dim=1)`",
        )


def _axis(operation: Operation) -> int | None:
    arguments = operation.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    return next((item for item in arguments if isinstance(item, int) and not isinstance(item, bool)), None)


def _is_argmax(operation: Operation) -> bool:
    aten = operation.settings.get("aten")
    return aten == "aten::argmax" or (aten == "aten::max" and len(operation.outputs) == 2)


def _origin(operations: Sequence[Operation], value: Value) -> Value | None:
    """Follows a value back to where it came from outside, or from a layer, along operations that keep its axes; None where one does not."""
    while value.producer >= 0 and operations[value.producer].name in _SAME_AXES and operations[value.producer].inputs:
        value = operations[value.producer].inputs[0]
    layer = value.producer >= 0 and operations[value.producer].name in ("matmul", "convolution", "add")
    return value if value.producer < 0 or layer else None


def _met(operations: Sequence[Operation], search: Operation, made: Sequence[bool], *, by: str) -> Value | None:
    """Returns the given value that what was found is compared with."""
    within = {search.index}
    for operation in operations[search.index + 1 :]:
        inside = [value.producer in within for value in operation.inputs]
        if not any(inside):
            continue
        if operation.settings.get("aten") in _EQUALITY and len(operation.inputs) > 1:
            other = operation.inputs[0] if inside[1] else operation.inputs[1]
            if not is_predicted(other, made, by=by):
                return other
        elif operation.name in ("view", "squeeze", "cast", "cast_integer", "alias", "copy"):
            within.add(operation.index)
    return None
