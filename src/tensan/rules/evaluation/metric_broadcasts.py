"""EVL120: a metric compares every prediction with every target, because their shapes broadcast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from tensan.core.events.base import Event
from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.things import Operation, Value, typed
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import EXPAND, PAIRED_LOSS, broadcast_grows_both
from tensan.core.rule import Rule
from tensan.rules.evaluation._measured import is_made_up, is_predicted, is_reduced, predicted

_EQUALITY = frozenset({"aten::eq", "aten::ne"})
#: Change the rank of a value by the program's own hand: then pairs of numbers may be meant.
_BY_HAND = frozenset({"unsqueeze", "view"})


class MetricBroadcasts(Rule):
    """
    ## What it does

    Finds metrics that compare predictions with targets of another rank, so that both repeat each other: `[64, 1]` and `[64]` become
    `[64, 64]`.

    ## Why is this bad?

    Each prediction is compared with the targets of all samples. An accuracy computed like this exceeds 100 %, or tells how often
    the classes occur; an error tells of the spread of the targets. The model that it chooses is chosen by chance.

    ## Example

    ```python
    predicted = logits.argmax(1, keepdim=True)        # [64, 1]
    correct += (predicted == labels).sum().item()     # 4096 comparisons
    ```

    ## Use instead

    ```python
    predicted = logits.argmax(1)                      # [64]
    correct += (predicted == labels).sum().item()
    ```

    ## Known problems

    Metrics in NumPy are not seen, nor those outside of the region in which gradients are off. A difference with an axis that was written by
    hand, as in `a[:, None] - b`, is taken for meant.
    """

    code = "EVL120"
    name = "metric-broadcasts"
    category = Category.CORRECTNESS
    law = 5
    effect = "wrong-metric"

    def on_outputs_measured(self, event: OutputsMeasured) -> Iterator[Finding]:
        yield from self._judged(event, event.operations, by="output", names=_EQUALITY | {"aten::sub"})

    def on_loss(self, event: Loss) -> Iterator[Finding]:
        yield from self._judged(event, event.operations, by="parameter", names=_EQUALITY)

    def _judged(self, event: Event, operations: Sequence[Operation], *, by: str, names: frozenset[str]) -> Iterator[Finding]:
        made = predicted(operations, by=by)
        for operation in operations:
            aten = operation.settings.get("aten")
            if len(operation.inputs) < 2 or not (aten in names or (by == "output" and operation.name in PAIRED_LOSS)):
                continue
            left, right = (_before_expansion(operations, operation, value) for value in operation.inputs[:2])
            sides = [is_predicted(value, made, by=by) for value in (left, right)]
            if sides[0] == sides[1] or not left.shape or not right.shape:
                continue
            given = right if sides[0] else left
            if (given.subject or "").startswith("parameter") or is_made_up(operations, given):
                continue
            self.armed = True
            if _repeats(left, right) and is_reduced(operations, operation.index) | (operation.name in PAIRED_LOSS):
                if aten not in _EQUALITY and any(_by_hand(operations, value) for value in (left, right)):
                    continue
                yield self._finding(event, operation, left, right, guess=left if sides[0] else right)

    def _finding(self, event: Event, operation: Operation, left: Value, right: Value, *, guess: Value) -> Finding:
        rank = max(len(left.shape), len(right.shape))
        shapes = [(1,) * (rank - len(value.shape)) + value.shape for value in (left, right)]
        grown = tuple(max(pair) for pair in zip(*shapes, strict=True))
        meant = prod(_without_ones(left.shape))
        return self.finding(
            f"a metric compares {left} with {right}, which broadcasts to {typed(guess.dtype, grown)}",
            at=operation.site,
            event=event,
            label=f"{prod(grown)} comparisons where {meant} were meant",
            evidence={"left": str(left), "right": str(right), "result": str(list(grown))},
            proof_note=f"rank {len(left.shape)} meets rank {len(right.shape)}, and each side is repeated along an axis of the other",
            help="give both sides one shape: `.squeeze(1)` on the predictions or `.view_as(predictions)` on the targets",
        )


def _before_expansion(operations: Sequence[Operation], operation: Operation, value: Value) -> Value:
    while value.producer >= 0:
        producer = operations[value.producer]
        if producer.name not in EXPAND or producer.site != operation.site or not producer.inputs:
            break
        value = producer.inputs[0]
    return value


def _repeats(left: Value, right: Value) -> bool:
    """Tells whether both hold the same numbers of things and repeat each other all the same."""
    ranks = len(left.shape) != len(right.shape)
    return ranks and broadcast_grows_both(left.shape, right.shape) and _without_ones(left.shape) == _without_ones(right.shape)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _by_hand(operations: Sequence[Operation], value: Value) -> bool:
    return value.producer >= 0 and operations[value.producer].name in _BY_HAND
