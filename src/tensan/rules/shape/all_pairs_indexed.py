"""SHP124: a column is picked for each row by `[:, index]`, which picks all of them for every row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import ELEMENTWISE, LAYOUT, POINTWISE, ancestors, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place

#: Fewer rows may happen to be as many as there are columns of something else.
_LEAST_ROWS = 4
#: Work on each number of the table by itself, or with one number for each row.
_BY_ENTRY = ELEMENTWISE | POINTWISE | (LAYOUT - {"slice", "transpose"})
_TOTALS = frozenset({"sum", "mean"})
#: Choose columns for each row by what stands in it.
_CHOICES = frozenset({"aten::multinomial", "aten::argmax", "aten::max", "aten::topk"})


class AllPairsIndexed(Rule):
    """
    ## What it does

    Finds `table[:, chosen]`, where `chosen` has one entry for each row of the table and the square of all rows and all choices is added up.

    ## Why is this bad?

    `table[:, chosen]` takes every chosen column for every row: of `[B, C]` it makes `[B, B]`. Only the diagonal is what was meant. Each row
    is then weighted by the rewards of all others, or raised for the choices of all others, and what was to be learned averages out.

    ## Example

    ```python
    chosen = log_probabilities[:, actions]
    loss = -(advantage * chosen).mean()
    ```

    ## Use instead

    ```python
    chosen = log_probabilities.gather(1, actions[:, None]).squeeze(1)
    loss = -(advantage * chosen).mean()
    ```

    ## Known problems

    Speaks only where the whole square goes into the loss entry by entry, and the columns were chosen by what stands in the rows, or there
    are few of them and numbers that belong to rows are beside them: negatives that all rows share are right. Squares that are normalised
    along an axis, masked or compared with another square are meant, such as those of a softmax over what else is in the batch.
    """

    code = "SHP124"
    name = "all-pairs-indexed"
    category = Category.CORRECTNESS
    law = 6
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told: set[Place] = set()

    def on_loss(self, event: Loss) -> Iterator[Finding]:
        for operation in event.operations:
            if _picks_by_row(operation):
                self.armed = True
            if operation.site in self._told or not _squares(operation):
                continue
            self.armed = True
            total = _total(event.operations, operation)
            if total is not None and not _has_pairs(event.operations, operation):
                self._told.add(operation.site)
                yield self._finding(event, operation, total)

    def _finding(self, event: Loss, operation: Operation, total: Operation) -> Finding:
        rows, columns = operation.inputs[0].shape
        return self.finding(
            f"`[:, index]` with one entry for each row makes [{rows}, {rows}] of [{rows}, {columns}], and all pairs are added up",
            at=operation.site,
            event=event,
            label=f"takes all {rows} chosen columns for each of the {rows} rows",
            evidence={"rows": rows, "columns": columns},
            related=[("all pairs are added up here", total.site)],
            proof_note=f"{rows} of the {rows * rows} numbers belong to the row that they were chosen for; the rest count alike",
            help="pick one for each row: `table.gather(1, index[:, None]).squeeze(1)` or `table[torch.arange(len(index)), index]`",
        )


def _squares(operation: Operation) -> bool:
    """Tells whether an operation picks, from a table that is not square, as many columns as there are rows."""
    if operation.name != "gather" or len(operation.inputs) != 2 or not operation.outputs:
        return False
    table, index = operation.inputs
    if len(table.shape) != 2 or not table.requires_grad or len(index.shape) != 1 or "int" not in index.dtype:
        return False
    rows, columns = table.shape
    square = index.shape[0] == rows != columns and operation.outputs[0].shape == (rows, rows) and rows >= _LEAST_ROWS
    return square and columns > 1 and _is_along_columns(operation)


def _is_along_columns(operation: Operation) -> bool:
    given = operation.settings.get("arguments")
    if not isinstance(given, tuple) or not given:
        return False
    if operation.settings.get("aten") == "aten::index_select":
        return given[0] in (1, -1)
    return operation.settings.get("aten") == "aten::index" and given[0] == (None, "Tensor")


def _picks_by_row(operation: Operation) -> bool:
    """Tells whether an operation picks one column for each row, as it should."""
    if operation.name != "gather" or not operation.inputs or len(operation.inputs[0].shape) != 2 or not operation.inputs[0].requires_grad:
        return False
    table = operation.inputs[0]
    if operation.settings.get("aten") == "aten::gather":
        return len(operation.inputs) == 2 and operation.inputs[1].shape == (table.shape[0], 1)
    return len(operation.inputs) == 3 and all(value.shape == table.shape[:1] for value in operation.inputs[1:])


def _has_pairs(operations: Sequence[Operation], picked: Operation) -> bool:
    """Tells whether a step also picks one for each row from the same table: all pairs are then a term beside those that belong together."""
    made = through_layout(operations, picked.inputs[0].producer)
    found = (each for each in operations if _picks_by_row(each))
    return any(through_layout(operations, each.inputs[0].producer) == made for each in found)


def _total(operations: Sequence[Operation], picked: Operation) -> Operation | None:
    """Returns where the whole square is added up, where nothing but work entry by entry lies before; None where it may be meant."""
    square = picked.outputs[0].shape
    reached = {picked.index}
    total: Operation | None = None
    by_row = False
    for operation in operations[picked.index + 1 :]:
        of_square = [value.producer in reached for value in operation.inputs]
        if not any(of_square) or not any(value.requires_grad for value in operation.outputs):
            continue  # also what is only looked at
        if operation.name in _TOTALS and operation.outputs and not operation.outputs[0].shape and len(of_square) == 1:
            total = total or operation
            continue
        if operation.name not in _BY_ENTRY or not operation.outputs or operation.outputs[0].shape != square:
            return None
        for value, own in zip(operation.inputs, of_square, strict=True):
            if not own and value.shape:
                if not _is_of_rows(value, square[0]):
                    return None
                by_row = True
        reached.add(operation.index)
    few = 2 * picked.inputs[0].shape[1] <= square[0]
    return total if _is_chosen(operations, picked) or (by_row and few and not _is_drawn(operations, picked)) else None


def _is_of_rows(value: Value, rows: int) -> bool:
    """Tells whether an array has one number for each row, which nothing is learned of."""
    return not value.requires_grad and value.shape in ((rows,), (rows, 1))


def _is_drawn(operations: Sequence[Operation], picked: Operation) -> bool:
    """Tells whether the columns were drawn blindly, such as negatives that all rows share."""
    made = through_layout(operations, picked.inputs[1].producer)
    return made >= 0 and operations[made].name == "new"


def _is_chosen(operations: Sequence[Operation], picked: Operation) -> bool:
    """Tells whether the choices were made of the very table that they pick from, row by row."""
    table, index = picked.inputs
    choice = next((each for each in ancestors(operations, [index.producer]) if operations[each].settings.get("aten") in _CHOICES), -1)
    made = through_layout(operations, table.producer, also=frozenset({"log_softmax", "softmax", "log", "exp", "detach"}))
    return choice >= 0 <= made and made in ancestors(operations, [choice])
