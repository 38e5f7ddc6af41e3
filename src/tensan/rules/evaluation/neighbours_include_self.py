"""EVL128: a search for nearest neighbours finds each sample itself, and the metric counts that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.things import Operation, Value
from tensan.core.findings import Category, Finding
from tensan.core.operations import ancestors
from tensan.core.rule import Rule
from tensan.rules.evaluation._measured import is_predicted, predicted

#: Share of rows that must find themselves first: where some are equal, one of them may find the other.
_LEAST_SHARE = 0.95
_EQUALITY = frozenset({"aten::eq", "aten::ne"})
#: Look up by number what a row is called.
_LOOKUP = frozenset({"gather", "embedding"})
#: Leave some of the results out, such as each row's own.
_LEAVING_OUT = frozenset({"masked_fill", "where", "masked_select"})


class NeighboursIncludeSelf(Rule):
    """
    ## What it does

    Finds metrics of retrieval and of nearest neighbours that compare a set with itself, where the first that each sample finds is this
    sample, and its label is counted among those that were found.

    ## Why is this bad?

    Nothing is nearer to a sample than the sample. Recall at 1 is 100 %, recall at more places too, and the accuracy of a vote is too high,
    whatever the model has learned. The model that such a number chooses is chosen by chance.

    ## Example

    ```python
    similarity = z @ z.T
    nearest = similarity.topk(5, dim=1).indices
    recall = (y[nearest] == y[:, None]).any(1).float().mean()
    ```

    ## Use instead

    ```python
    similarity = (z @ z.T).fill_diagonal_(-torch.inf)
    nearest = similarity.topk(5, dim=1).indices
    recall = (y[nearest] == y[:, None]).any(1).float().mean()
    ```

    ## Known problems

    Looks at tables of all pairs that PyTorch computes and searches while gradients are off. Where what was found first is cut off later,
    or one is taken from each sum, nothing is said, nor where the numbers of neighbours are compared and not their labels.
    """

    code = "EVL128"
    name = "neighbours-include-self"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-metric"

    def on_outputs_measured(self, event: OutputsMeasured) -> Iterator[Finding]:
        operations = event.operations
        for search in operations:
            share = search.settings.get("finds_itself")
            if not isinstance(share, float):
                continue
            self.armed = True
            product = _compared_with_itself(operations, search)
            met = _met(operations, search) if product is not None and share >= _LEAST_SHARE else None
            if product is not None and met is not None:
                yield self._finding(event, search, product, met, share)

    def _finding(self, event: OutputsMeasured, search: Operation, product: Operation, met: Operation, share: float) -> Finding:
        rows = search.inputs[0].shape[0]
        return self.finding(
            f"each of {rows} samples finds itself as its nearest neighbour, and that is counted",
            at=search.site,
            event=event,
            label=f"for {share:.0%} of the samples the first that is found is the sample",
            evidence={"samples": rows, "find themselves": share},
            related=[("the set is compared with itself here", product.site), ("the labels of what was found are compared here", met.site)],
            proof_note=f"both sides of the table of {rows} by {rows} are the same array, and nothing of what was found is left out",
            help="leave each sample out of its own search: `similarity.fill_diagonal_(-torch.inf)`, for distances `torch.inf`",
        )


def _compared_with_itself(operations: Sequence[Operation], search: Operation) -> Operation | None:
    """Returns what made the table that is searched, where it compares an array with itself and no other table lies between."""
    rows = search.inputs[0].shape[0] if search.inputs and search.inputs[0].shape else 0
    for index in ancestors(operations, [search.inputs[0].producer] if search.inputs else []):
        operation = operations[index]
        shape = operation.outputs[0].shape if operation.outputs else ()
        if shape.count(rows) < 2:
            continue
        if operation.settings.get("with_itself"):
            return operation
        if operation.name in ("matmul", "norm"):
            return None
    return None


def _met(operations: Sequence[Operation], search: Operation) -> Operation | None:
    """Returns the comparison of the labels that were looked up with others; None where the first of them may be left out."""
    numbers: set[int] = set()
    labels: set[int] = set()
    found: Operation | None = None
    made = predicted(operations, by="output")
    for operation in operations[search.index + 1 :]:
        of_numbers = [_is_number(value, search, numbers) for value in operation.inputs]
        of_labels = [value.producer in labels for value in operation.inputs]
        if not any(of_numbers) and not any(of_labels):
            continue
        if _leaves_out(operation):
            return None
        if any(of_numbers):
            if operation.name in _LOOKUP and not of_numbers[0]:
                looked_up = operation.inputs[0]
                if looked_up.dtype.startswith(("int", "uint")) and not is_predicted(looked_up, made, by="output"):
                    labels.add(operation.index)
                continue
            if operation.name in ("gather", "compare", "add", "sub", "index_put", "scatter", "one_hot"):
                return None  # the numbers themselves are compared, sorted out or marked in a graph
            numbers.add(operation.index)
            continue
        labels.add(operation.index)
        if operation.settings.get("aten") in _EQUALITY and len(operation.inputs) > 1 and not all(of_labels[:2]):
            found = found or operation
    return found


def _is_number(value: Value, search: Operation, numbers: set[int]) -> bool:
    return value.producer in numbers or (value.producer == search.index and value.dtype == "int64")


def _leaves_out(operation: Operation) -> bool:
    """Tells whether an operation takes away a part of what it is given, or one from each of its sums."""
    arguments = operation.settings.get("arguments", ())
    start = arguments[1] if isinstance(arguments, tuple) and len(arguments) > 1 else 0
    aten = operation.settings.get("aten")
    if operation.name in _LEAVING_OUT or aten in ("aten::unbind", "aten::split", "aten::split_with_sizes", "aten::chunk"):
        return True
    if aten in ("aten::slice", "aten::select", "aten::narrow"):
        return start not in (0, None)
    return operation.name in ("add", "sub") and aten != "aten::rsub" and len(operation.inputs) == 1
