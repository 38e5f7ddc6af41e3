"""DAT136: the rows of a batch are sorted on their way to the outputs, and the targets that these meet are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import ELEMENTWISE, LAYOUT, LOSS, POINTWISE, ancestors, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place, Site

#: Fewer rows may happen to lie in an order, and fewer sizes tell axes apart.
_LEAST_ROWS = 4
#: Compare outputs with targets row by row: the lengths of CTC's targets lie along other axes.
_COMPARING = LOSS - {"ctc_loss"}
#: What sorted lengths are used for, beside packing; nothing of it puts rows back in their places.
_USES_OF_LENGTHS = (LAYOUT - {"slice"}) | {
    "cast_integer",
    "add",
    "sub",
    "mul",
    "div",
    "compare",
    "clamp",
    "max",
    "min",
    "item",
    "sum",
    "expand",
    "_pack_padded_sequence",
}
#: Words in the names of operations that lay rows at places of their own.
_PLACING = ("index", "scatter", "put", "flip", "roll")
#: What targets may have gone through and still lie as they were delivered.
_TARGETS = (LAYOUT | ELEMENTWISE | POINTWISE | {"cast_integer", "one_hot", "compare", "new"}) - {"where"}


class _Sorted(msgspec.Struct, frozen=True):
    """An order of rows, what takes rows by it, and how many there are."""

    order: Operation
    taken: tuple[Operation, ...]
    rows: int


class OrderNotRestored(Rule):
    """
    ## What it does

    Finds models that sort the rows of a batch, by length for packing, and whose outputs meet the targets in the order of the batch.

    ## Why is this bad?

    Each sample is compared with the target of another. Nothing fails, for the shapes are right, and the loss settles at the best constant
    guess.

    ## Example

    ```python
    lengths, order = lengths.sort(descending=True)
    packed = pack_padded_sequence(self.embed(x[order]), lengths, batch_first=True)
    _, (hidden, _) = self.lstm(packed)
    return self.head(hidden[-1])
    ```

    ## Use instead

    ```python
    return self.head(hidden[-1][order.argsort()])
    ```

    Or leave the sorting to `pack_padded_sequence(..., enforce_sorted=False)`, which puts the states back by itself.

    ## Known problems

    Looks at targets that a loader delivered or that are picked from a larger table during the step. Where outputs hang on rows that
    were not sorted too, or anything else is done with the order, nothing is said.
    """

    code = "DAT136"
    name = "order-not-restored"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told: set[Place] = set()

    def on_loss(self, event: Loss) -> Iterator[Finding]:
        taken = _taken_in_order(event.operations)
        self.armed = self.armed or bool(taken)
        found = _only_order(event.operations, taken)
        if found is None:
            return
        for compared in event.operations[found.order.index :]:
            if compared.name not in _COMPARING or len(compared.inputs) < 2 or found.taken[0].site in self._told:
                continue
            output, target = compared.inputs[:2]
            if (
                _moves(found.order)
                and not _is_put_back(event.operations, found)
                and _is_of_sorted(event.operations, output, found)
                and _lies_as_delivered(event.operations, target, found.rows)
            ):
                self._told.add(found.taken[0].site)
                yield self._finding(event, found, compared, _last_in_place(event.operations, output, found.taken[0].site))

    def _finding(self, event: Loss, found: _Sorted, compared: Operation, left: Place) -> Finding:
        moves = found.order.settings.get("moves")
        return self.finding(
            f"the {found.rows} rows of a batch are sorted, and their outputs meet targets that are not",
            at=left,
            event=event,
            label="the outputs are still in the order of the sorted rows",
            evidence={"rows": found.rows, "moved": moves},
            related=[("the rows are taken in that order here", found.taken[0].site), ("outputs and targets meet here", compared.site)],
            proof_note=f"the order moves {moves} of {found.rows} rows, nothing after it moves them back, and the targets lie as delivered",
            help="put the outputs back, `outputs[order.argsort()]`, or pack with `enforce_sorted=False`, which does it by itself",
        )


def _last_in_place(operations: Sequence[Operation], output: Value, place: Place) -> Place:
    """Returns the last line behind an output in the function that sorts: there it could be put back."""
    if not isinstance(place, Site):
        return place
    behind = sorted(ancestors(operations, [output.producer]), reverse=True)
    sites = (operations[index].site for index in behind)
    return next((site for site in sites if isinstance(site, Site) and site.code is place.code), place)


def _taken_in_order(operations: Sequence[Operation]) -> dict[int, list[Operation]]:
    """Returns what takes rows in an order, by the operation that finds it."""
    taken: dict[int, list[Operation]] = {}
    for operation in operations:
        order = _order_of(operations, operation)
        if order is not None:
            taken.setdefault(order.index, []).append(operation)
    return taken


def _only_order(operations: Sequence[Operation], taken: Mapping[int, list[Operation]]) -> _Sorted | None:
    """Returns the order that rows are taken by, where a step has a single one that is not computed of what is learned."""
    if len(taken) != 1:
        return None
    ((index, found),) = taken.items()
    order = operations[index]
    key = order.inputs[0]
    if key.requires_grad or any(
        value.requires_grad for behind in ancestors(operations, [key.producer]) for value in operations[behind].inputs
    ):
        return None
    if all(_is_own(operations, each.inputs[0], key) for each in found):
        return None  # sorts the values themselves, and nothing goes with them
    return _Sorted(order, tuple(found), key.shape[0])


def _order_of(operations: Sequence[Operation], operation: Operation) -> Operation | None:
    """Returns what sorted the rows that an operation takes: as many as there are, along the one axis of that size."""
    if operation.name != "gather" or len(operation.inputs) != 2:
        return None
    source, index = operation.inputs
    made = through_layout(operations, index.producer)
    order = operations[made] if made >= 0 else None
    if order is None or order.settings.get("aten") not in ("aten::sort", "aten::argsort") or not order.inputs:
        return None
    rows = order.inputs[0].shape[0] if len(order.inputs[0].shape) == 1 else 0
    if rows < _LEAST_ROWS or index.shape != (rows,) or source.shape.count(rows) != 1:
        return None
    return order if _axis(operation) == source.shape.index(rows) else None


def _axis(operation: Operation) -> int | None:
    """Returns the axis that a single row of numbers picks from."""
    given = operation.settings.get("arguments")
    if not isinstance(given, tuple) or not given:
        return None
    if operation.settings.get("aten") == "aten::index_select":
        axis = given[0]
        rank = len(operation.inputs[0].shape)
        return axis % rank if isinstance(axis, int) and rank else None
    if operation.settings.get("aten") != "aten::index" or not isinstance(given[0], tuple) or given[0].count("Tensor") != 1:
        return None
    return given[0].index("Tensor")


def _is_own(operations: Sequence[Operation], source: Value, key: Value) -> bool:
    """Tells whether what is taken in order is what was sorted."""
    made, other = through_layout(operations, source.producer), through_layout(operations, key.producer)
    return made == other and (made >= 0 or (source.subject == key.subject and source.shape == key.shape))


def _moves(order: Operation) -> bool:
    """Tells whether an order is another than the one that was there before."""
    moves = order.settings.get("moves")
    return isinstance(moves, int) and moves > 1


def _is_put_back(operations: Sequence[Operation], found: _Sorted) -> bool:
    """Tells whether more is done with an order, or with what is computed of it, than taking rows and reading lengths."""
    derived = {found.order.index}
    taken = {each.index for each in found.taken}
    for operation in operations[found.order.index + 1 :]:
        if operation.index in taken or not any(value.producer in derived for value in operation.inputs):
            continue
        if operation.name == "gather" and _keeps_rows(operations, operation, found):
            continue
        if operation.name not in _USES_OF_LENGTHS:
            return True
        if operation.name != "_pack_padded_sequence" and operation.outputs and "int" in operation.outputs[0].dtype:
            derived.add(operation.index)
    return False


def _keeps_rows(operations: Sequence[Operation], operation: Operation, found: _Sorted) -> bool:
    """Tells whether an operation picks within each row, such as its last moment: what is picked stays in its row."""
    given = operation.settings.get("arguments")
    if not operation.inputs:
        return False
    source = operation.inputs[0]
    if operation.settings.get("aten") == "aten::gather":
        axis = given[0] if isinstance(given, tuple) and given else None
        return isinstance(axis, int) and source.shape.count(found.rows) == 1 and axis % len(source.shape) != source.shape.index(found.rows)
    if len(operation.inputs) != 3 or not isinstance(given, tuple) or given[:1] != (("Tensor", "Tensor"),):
        return False
    first = through_layout(operations, operation.inputs[1].producer)
    return first >= 0 and operations[first].settings.get("aten") == "aten::arange" and source.shape[:1] == (found.rows,)


def _is_of_sorted(operations: Sequence[Operation], output: Value, found: _Sorted) -> bool:
    """Tells whether rows of an output hang on sorted rows alone, and nothing may have moved them since."""
    taken = {each.index for each in found.taken}
    seen: set[int] = set()
    singles: dict[int, int] = {}
    waiting = [output]
    while waiting:
        value = waiting.pop()
        if value.producer in taken or value.producer == found.order.index:
            seen.add(value.producer)
            continue
        if value.producer < 0:
            if value.subject == "batch" or (value.subject is None and len(value.shape) > 1 and found.rows in value.shape):
                return False  # rows that were not sorted
            continue
        if value.producer in seen:
            continue
        seen.add(value.producer)
        operation = operations[value.producer]
        if operation.name in ("gather", "argmax") and not _keeps_rows(operations, operation, found):
            return False
        if _writes_rows(operation):
            return False
        if _takes_one_row(operation, found.rows):
            source = operation.inputs[0].producer
            singles[source] = singles.get(source, 0) + len(operation.outputs)
        waiting += operation.inputs
    return not taken.isdisjoint(seen) and all(2 * count < found.rows for count in singles.values())


def _writes_rows(operation: Operation) -> bool:
    """Tells whether an operation lays rows at places of their own: by number, or one after the other into what is there."""
    aten = str(operation.settings.get("aten"))
    return operation.name != "gather" and (any(word in aten for word in _PLACING) or aten.endswith("copy_"))


def _takes_one_row(operation: Operation, rows: int) -> bool:
    """Tells whether an operation takes a single one of the rows, as those do that put them back one by one."""
    if operation.name != "slice" or not operation.inputs or not operation.outputs or rows not in operation.inputs[0].shape:
        return False
    return operation.outputs[0].shape.count(rows) < operation.inputs[0].shape.count(rows)


def _lies_as_delivered(operations: Sequence[Operation], target: Value, rows: int) -> bool:
    """Tells whether a target has the rows of the batch in the batch's own order."""
    if target.requires_grad:
        return False
    delivered = False
    waiting, seen = [target], set[int]()
    while waiting:
        value = waiting.pop()
        if value.producer < 0:
            delivered = delivered or (value.subject == "batch" and rows in value.shape)
            if value.subject != "batch" and value.shape and rows in value.shape:
                return False
            continue
        if value.producer in seen:
            continue
        seen.add(value.producer)
        operation = operations[value.producer]
        if _is_draw(operations, operation, rows):
            delivered = True
        elif operation.name not in _TARGETS or _takes_one_row(operation, rows):
            return False
        else:
            waiting += operation.inputs
    return delivered


def _is_draw(operations: Sequence[Operation], operation: Operation, rows: int) -> bool:
    """Tells whether an operation picks the batch from a larger table, by numbers from outside."""
    if operation.name != "gather" or len(operation.inputs) != 2 or _axis(operation) != 0:
        return False
    table, index = operation.inputs
    return table.producer < 0 and index.producer < 0 and index.shape == (rows,) and table.shape[0] > rows
