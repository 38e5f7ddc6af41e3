"""SHP123: rows are added to by an index that names some of them several times, so that only one addition to each is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import through_layout
from tensan.core.rule import Rule

#: Rows that must have lost something: one may be a place for what is not wanted.
_LEAST_CROWDED = 3
#: Share of the additions that must meet another one: fewer meet by chance where rows are drawn at random.
_LEAST_MEETING = 0.1
_ZEROS = frozenset({"aten::zeros", "aten::zeros_like", "aten::new_zeros"})


class RowsWrittenSeveralTimes(Rule):
    """
    ## What it does

    Finds `table[index] += values` whose index names rows several times, while what is added to them differs.

    ## Why is this bad?

    It reads all rows, adds, and writes all rows back: of several additions to one row the last one written is kept, and the others are
    lost, without a word. A sum over neighbours, over a segment or over a cell is then one of its terms, chosen by chance, and the
    others get no gradient.

    ## Example

    ```python
    total = torch.zeros_like(x)
    total[target] += x[source]
    ```

    ## Use instead

    ```python
    total = torch.zeros_like(x)
    total.index_add_(0, target, x[source])  # total.index_put_((row, column), values, accumulate=True) for several indices
    ```

    ## Known problems

    Told are sums of what is learned, and those that begin at zero: noise at random places of an input passes, even where two places meet.
    A plain `table[index] = values` keeps the last one on purpose.
    """

    code = "SHP123"
    name = "rows-written-several-times"
    category = Category.CORRECTNESS
    law = 15
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for operation in loss.operations:
            counts = operation.settings.get("rows")
            if not isinstance(counts, tuple) or len(counts) != 4:
                continue
            self.armed = True
            rows, distinct, crowded, _ = counts
            meet = crowded >= _LEAST_CROWDED and rows - distinct >= _LEAST_MEETING * rows
            if meet and _is_sum(loss.operations, operation):
                yield self._finding(loss, operation, counts)

    def _finding(self, loss: Loss, operation: Operation, counts: tuple[int, ...]) -> Finding:
        rows, distinct, _, lost = counts
        return self.finding(
            f"`+=` by an index that names {distinct} rows {rows} times keeps one addition to each row, and loses the others",
            at=operation.site,
            event=loss,
            label=f"{rows} additions, {distinct} rows",
            evidence={"additions": rows, "rows": distinct, "values lost": lost},
            proof_note=f"read again after it was written, {lost} of the values that were written are not there",
            help="add with `total.index_add_(0, index, values)`, or with `index_put_(indices, values, accumulate=True)`",
            subjects={"*"},
        )


def _is_sum(operations: Sequence[Operation], written: Operation) -> bool:
    """Tells whether rows are summed up to learn from: what is added is learned, or the sum begins at zero."""
    added = _added(operations, written)
    return added is not None and written.gradients and (added.requires_grad or _begins_at_zero(operations, written))


def _added(operations: Sequence[Operation], written: Operation) -> Value | None:
    """Returns what was added to the rows that were read."""
    index = through_layout(operations, written.inputs[-1].producer) if written.inputs else -1
    changed = operations[index].inputs if index >= 0 else ()
    readers = [through_layout(operations, value.producer) for value in changed]
    reader = written.settings.get("read_by")
    return changed[1 - readers.index(reader)] if isinstance(reader, int) and len(changed) == 2 and reader in readers else None


def _begins_at_zero(operations: Sequence[Operation], written: Operation) -> bool:
    index = written.index
    while index >= 0 and operations[index].name == written.name and operations[index].inputs:
        index = through_layout(operations, operations[index].inputs[0].producer)
    return index >= 0 and operations[index].settings.get("aten") in _ZEROS
