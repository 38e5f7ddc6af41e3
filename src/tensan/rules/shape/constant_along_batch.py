"""SHP104: what was made for the positions of a sequence is laid along the batch: each sample gets another constant, by its place there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.recorded import StepRecorded
from tensan.core.events.things import Operation, Value
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.traces import line_of

#: Recorded steps in which it must happen: a table that is read further on in each step belongs to the samples.
_LEAST_STEPS = 2
_MET_BY = frozenset({"add", "mul", "sub"})


class ConstantAlongBatch(Rule):
    """
    ## What it does

    Finds a table, such as a positional encoding, whose first rows are added to what the model computes along the batch instead of along the
    sequence: `table[: x.size(0)]` where the batch comes first.

    ## Why is this bad?

    All positions of a sample get the same vector, so the model does not know their order, and the first sample of a batch gets another
    one than the second, so a prediction depends on the place in the batch. Shapes fit and the loss falls.

    ## Example

    ```python
    def forward(self, x):                      # x: [batch, sequence, features]
        return x + self.encoding[: x.size(0)]  # encoding: [longest, 1, features]
    ```

    ## Use instead

    ```python
    def forward(self, x):
        return x + self.encoding[: x.size(1)].transpose(0, 1)
    ```

    ## Known problems

    Where the batch is as large as another axis of what is computed, it cannot be told which one is meant, and the rule is silent.
    """

    code = "SHP104"
    name = "constant-along-batch"
    category = Category.CORRECTNESS
    law = 6
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[object, int] = {}

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Finding]:
        operations = recorded.loss.operations
        met = dict[object, tuple[Operation, Value, Operation]]()
        for operation in operations[: recorded.forward_end]:
            if operation.name not in _MET_BY or len(operation.inputs) != 2 or recorded.batch < 2:
                continue
            self.armed = True
            for computed, constant in (operation.inputs, operation.inputs[::-1]):
                taken = _first_rows(operations, constant, recorded.batch)
                if taken is not None and _lies_along(computed, constant, recorded.batch):
                    met.setdefault(line_of(operation.site), (operation, computed, taken))
        # Samples that are drawn at random have no place of their own; others may always come in one order.
        drawn = any(given.axis == 0 and given.independent for given in recorded.given)
        for line, (operation, computed, taken) in met.items():
            self._seen[line] = max(self._seen.get(line, 0) + 1, _LEAST_STEPS if drawn and line not in self._seen else 0)
            if self._seen[line] == _LEAST_STEPS and line is not None:
                yield self._finding(recorded, operation, computed, taken)

    def _finding(self, recorded: StepRecorded, operation: Operation, computed: Value, taken: Operation) -> Finding:
        place: Place = operation.site
        table = taken.inputs[0]
        return self.finding(
            f"the first {recorded.batch} rows of a table are laid along the batch: each sample gets another one, by its place in it",
            at=place,
            event=recorded,
            label=f"{computed} with rows of {table}, one for each sample",
            evidence={"batch": recorded.batch, "table": str(table), "computed": str(computed)},
            related=[("the rows are taken here", taken.site)] if line_of(taken.site) != line_of(place) else (),
            proof_note=f"only the axis of the {recorded.batch} samples has that length, and the same rows are used in each step",
            help="take as many rows as the sequence is long, and lay them along its axis",
        )


def _first_rows(operations: Sequence[Operation], value: Value, count: int) -> Operation | None:
    """Returns what took the first rows of a larger table that no operation has made."""
    while value.producer >= 0:
        producer = operations[value.producer]
        if producer.name not in LAYOUT | {"embedding", "index"} or not producer.inputs:
            return None
        source = producer.inputs[0]
        if producer.settings.get("aten") == "aten::slice":
            arguments = producer.settings.get("arguments", ())
            begins = isinstance(arguments, tuple) and (len(arguments) < 2 or arguments[1] in (0, None))
            taken = [(a, b) for a, b in zip(source.shape, value.shape, strict=False) if a != b]
            if begins and len(taken) == 1 and taken[0][1] == count and _is_table(source):
                return producer
        elif producer.name in ("embedding", "index"):
            numbers = producer.inputs[-1]
            made = through_layout(operations, numbers.producer)
            counts = made >= 0 and operations[made].name == "new" and [each.shape for each in operations[made].outputs] == [(count,)]
            return producer if counts and _is_table(source) and source.shape[0] > count else None
        value = source
    return None


def _is_table(value: Value) -> bool:
    return value.producer < 0 and value.subject != "batch" and "float" in value.dtype and len(value.shape) > 1


def _lies_along(computed: Value, constant: Value, count: int) -> bool:
    """Tells whether the axis of the samples, and no other axis, is the one along which the constant changes.

    The last axis, of features, may be as long as the batch is large: a row of the table has them all.
    """
    rank = len(computed.shape)
    laid = (1,) * (rank - len(constant.shape)) + constant.shape
    axes = computed.shape[:-1] if laid[-1] == computed.shape[-1] else computed.shape
    return rank > 2 and axes.count(count) == 1 and len(laid) == rank and laid[axes.index(count)] == count
