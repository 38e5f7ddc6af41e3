"""Predictions and targets that are flattened for the loss in different orders."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation, Shape, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LOSS
from tensan.core.rule import Rule

#: Keep values in the order in which they lie in memory.
_KEEP = frozenset({"view", "copy", "contiguous", "alias", "cast", "cast_integer", "log_softmax", "softmax", "log"})


class FlattenedOutOfStep(Rule):
    """
    ## What it does
    Finds predictions and targets that are flattened for the loss in different orders: scores of `[batch, classes, height, width]` that are
    viewed as `[-1, classes]`, or `[time, batch, classes]` beside targets of `[batch, time]`.

    ## Why is this bad?
    The counts agree, so no error is raised, but row for row the loss compares a prediction with the target of another place or another
    sample; where the classes were not last, what it takes for the scores of one pixel are one score of several pixels.

    ## Example
    ```python
    loss = F.cross_entropy(logits.view(-1, classes), labels.view(-1))              # [n, classes, h, w]
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(logits.permute(0, 2, 3, 1).reshape(-1, classes), labels.view(-1))
    loss = F.cross_entropy(logits, labels)                                         # takes [n, classes, h, w] as it is
    ```

    ## Known problems
    Axes are told by their lengths: where those that were exchanged are equally long, nothing is said.
    """

    code = "SHP121"
    name = "flattened-out-of-step"
    category = Category.CORRECTNESS
    law = 8
    effect = "scrambled"
    explains = frozenset({"unmasked", "wrong-gradient", "scrambled"})

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        operations = loss.operations
        for comparison in operations:
            if comparison.name not in LOSS or len(comparison.inputs) < 2 or comparison.inputs[1].requires_grad:
                continue
            prediction, target = (_flattened(operations, value) for value in comparison.inputs[:2])
            if prediction is None or target is None:
                continue
            self.armed = True
            scores, places = prediction.inputs[0], target.inputs[0]
            rows = target.outputs[0].shape
            if rows != prediction.outputs[0].shape[: len(rows)]:
                continue
            classes = prediction.outputs[0].shape[len(rows) :]
            wrong = _out_of_step(scores.shape, places.shape, classes)
            if wrong:
                yield self._finding(loss, comparison, prediction, target, wrong)

    def _finding(self, loss: Loss, comparison: Operation, prediction: Operation, target: Operation, wrong: str) -> Finding:
        scores, places = prediction.inputs[0], target.inputs[0]
        return self.finding(
            f"{scores} and targets {places} are flattened in different orders, and compared row by row",
            at=prediction.site,
            event=loss,
            label=f"{list(scores.shape)} becomes {list(prediction.outputs[0].shape)}",
            evidence={"predictions": str(scores), "targets": str(places), "rows": math.prod(places.shape)},
            related=[("the targets are flattened here", target.site), ("compared here", comparison.site)],
            proof_note=wrong,
            help="bring the axes into the order of the targets, the classes last, with `permute` before the `reshape`",
            subjects={"*"},
        )


def _flattened(operations: Sequence[Operation], value: Value) -> Operation | None:
    """Returns the reshape in which a value that goes into a loss lost axes, where nothing but its layout was changed since."""
    while value.producer >= 0:
        operation = operations[value.producer]
        if operation.name not in _KEEP or not operation.inputs or not operation.outputs or operation.outputs[0].shape != value.shape:
            return None
        if operation.name == "view" and len(operation.inputs[0].shape) > len(value.shape):
            return operation
        value = operation.inputs[0]
    return None


def _out_of_step(scores: Shape, places: Shape, classes: Shape) -> str:
    """Says how rows of scores and rows of targets differ; empty where they agree, or where that cannot be told."""
    scores, places, classes = (tuple(size for size in shape if size > 1) for shape in (scores, places, classes))
    if len(places) < 2 or len(classes) > 1 or scores == places + classes:
        return ""
    for axis in range(len(places)):
        if classes and scores == places[:axis] + classes + places[axis:]:
            return (
                f"the {classes[0]} classes of {list(scores)} lie along axis {axis}, {math.prod(places[axis:])} values apart; "
                f"a row of {classes[0]} neighbouring values holds one class at {classes[0]} places"
            )
    rows = scores[: len(scores) - len(classes)]
    if sorted(rows) == sorted(places) and scores[len(rows) :] == classes:
        row = places[-1]
        return f"row {row} is place {_place(row, rows)} of {list(rows)} here, and place {_place(row, places)} of {list(places)} there"
    return ""


def _place(row: int, shape: Shape) -> list[int]:
    """Returns the indices of a row that was flattened from axes."""
    indices = []
    for size in reversed(shape):
        row, index = divmod(row, size)
        indices.append(index)
    return indices[::-1]
