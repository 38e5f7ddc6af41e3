"""SHP104: what was made for the positions of a sequence is laid along the batch: each sample gets another constant, by its place there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.recorded import Layer, StepRecorded
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.traces import line_of

#: Recorded steps in which it must happen: a table that is read further on in each step belongs to the samples.
_LEAST_STEPS = 2
_MET_BY = frozenset({"add", "mul", "sub"})


class _Laid(msgspec.Struct, frozen=True):
    """Where the first rows of a table meet what the model computes, and what took them."""

    operation: Operation
    computed: Value
    taken: Operation


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
        self._seen: Counter[tuple[type, object]] = Counter()
        self._told: set[object] = set()

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        """Looks where layers say themselves that the batch comes first: the program may draw its batches as it likes."""
        batch = _batch_of_layers(loss.operations)
        for met in self._laid(loss.operations, batch):
            table = met.taken.inputs[0]
            # Samples that always come in one order may each have a learned row of their own.
            if not table.requires_grad or 1 in table.shape:
                yield from self._add(loss, batch, met)

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Finding]:
        # Samples that are drawn at random have no place of their own; others may always come in one order.
        drawn = any(given.axis == 0 and given.independent for given in recorded.given)
        for met in self._laid(recorded.loss.operations[: recorded.forward_end], recorded.batch):
            yield from self._add(recorded, recorded.batch, met, least=1 if drawn else _LEAST_STEPS)

    def _add(self, event: Loss | StepRecorded, batch: int, met: _Laid, *, least: int = _LEAST_STEPS) -> Iterator[Finding]:
        line = line_of(met.operation.site)
        self._seen[type(event), line] += 1
        if self._seen[type(event), line] >= least and line not in self._told:
            self._told.add(line)
            yield self._finding(event, batch, met)

    def _laid(self, operations: Sequence[Operation], batch: int) -> list[_Laid]:
        """Returns, one for each line, where the first rows of a table meet what the model computes along the batch."""
        found: dict[object, _Laid] = {}
        for operation in operations if batch >= 2 else ():
            if operation.name not in _MET_BY or len(operation.inputs) != 2:
                continue
            self.armed = True
            for computed, constant in (operation.inputs, operation.inputs[::-1]):
                taken = _first_rows(operations, constant, batch)
                line = line_of(operation.site)
                if taken is not None and line is not None and _lies_along(computed, constant, batch):
                    found.setdefault(line, _Laid(operation=operation, computed=computed, taken=taken))
        return list(found.values())

    def _finding(self, event: Loss | StepRecorded, batch: int, met: _Laid) -> Finding:
        place: Place = met.operation.site
        table = met.taken.inputs[0]
        return self.finding(
            f"the first {batch} rows of a table are laid along the batch: each sample gets another one, by its place in it",
            at=place,
            event=event,
            label=f"{met.computed} with rows of {table}, one for each sample",
            evidence={"batch": batch, "table": str(table), "computed": str(met.computed)},
            related=[("the rows are taken here", met.taken.site)] if line_of(met.taken.site) != line_of(place) else (),
            proof_note=f"only the axis of the {batch} samples has that length, and the same rows are used in each step",
            help="take as many rows as the sequence is long, and lay them along its axis",
        )


def _batch_of_layers(operations: Sequence[Operation]) -> int:
    """Returns how many samples the layers were given that say that the batch comes first; 0 where there are none, or they differ."""
    sizes: set[int] = set()
    entered: set[str] = set()
    for operation in operations:
        layer = operation.settings.get("layer")
        if isinstance(layer, Layer) and layer.batch_first and layer.id not in entered:
            shape = next((value.shape for value in operation.inputs if len(value.shape) == 3 and value.producer >= 0), None)
            if shape is not None:
                entered.add(layer.id)
                sizes.add(shape[0])
    return sizes.pop() if len(sizes) == 1 else 0


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
