"""Targets that are put in another order after the model has seen its inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.data import EpochStart
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT, POINTWISE, ancestors, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place, resolved
from tensan.rules.loss._shared import Comparison, comparisons
from tensan.rules.optimizer._shared import Evidence

#: Draw numbers of their own, which nothing before can have known.
_DRAWS = frozenset({"randperm", "rand", "randint", "randn", "rand_like", "multinomial", "randint_like"})
#: Make an order of such numbers.
_ORDERING = LAYOUT | {"argmax", "new"}
_SQUASHING = POINTWISE | {"softmax", "log_softmax"}
_TURNS = {"roll": "rolled", "flip": "turned round"}
_LEAST_STEPS = 2
#: What a program calls labels that it mixes on purpose.
_CONTROL = re.compile(r"shuf|scram|null|nois|corrupt|control|chance|fake|mixed|negative|baseline|random", re.IGNORECASE)


class Reordered(msgspec.Struct, frozen=True, kw_only=True):
    """A target and the operation that gave its samples another order."""

    loss: Loss
    comparison: Comparison
    operation: Operation
    how: str


class TargetsReordered(Rule):
    """
    ## What it does
    Finds targets whose samples are put in another order between the model's forward and the loss, by a permutation that is only drawn
    then, or by rolling or turning a shuffled batch along its samples, while the predictions keep theirs.

    ## Why is this bad?
    Each prediction is compared with the target of some other sample. All that can be learned from that is the mean of the targets.

    ## Example
    ```python
    prediction = model(x)
    loss = F.mse_loss(prediction, y[torch.randperm(len(y))])
    ```

    ## Use instead
    ```python
    order = torch.randperm(len(x))
    x, y = x[order], y[order]
    loss = F.mse_loss(model(x), y)
    ```

    ## Known problems
    Where the same prediction is compared with something else as well, as in mixup, or the program calls it a control, it is taken for
    meant. A permutation that was drawn before the forward may have been applied to the inputs too, and passes.
    """

    code = "DAT150"
    name = "targets-reordered"
    category = Category.CORRECTNESS
    law = 7
    effect = "wrong-data"
    explains = frozenset({"wrong-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, Evidence[Reordered]] = {}
        self._is_shuffled = False

    def on_epoch_start(self, event: EpochStart) -> None:
        self._is_shuffled = event.loader.order == "random"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        found = comparisons(loss)
        for comparison in found:
            if comparison.loss == "product" or comparison.target.requires_grad or not comparison.target.shape:
                continue
            self.armed = True
            reordered = self._reordered(loss, comparison)
            if reordered is None or _is_compared_again(loss, comparison, found) or _is_control(reordered.operation):
                continue
            evidence = self._seen.setdefault(reordered.operation.site, Evidence(_LEAST_STEPS))
            for seen in evidence.add(reordered):
                yield self._finding(seen)

    def _reordered(self, loss: Loss, comparison: Comparison) -> Reordered | None:
        operations = loss.operations
        index = through_layout(operations, comparison.target.producer, also=frozenset({"cast", "cast_integer"}))
        if index < 0:
            return None
        operation, behind = operations[index], set(ancestors(operations, [comparison.prediction.producer]))
        learned = [other for other in behind if any((value.subject or "").startswith("parameter") for value in operations[other].inputs)]
        if not learned or index < min(learned) or index in behind or not operation.inputs:
            return None
        given = operation.inputs[0]
        outermost = _outermost(operations, given)
        if outermost is None or not given.shape or given.shape[0] < 2 or outermost.shape[:1] != given.shape[:1]:
            return None
        aten = str(operation.settings.get("aten")).removeprefix("aten::")
        if aten in _TURNS:
            # A batch that comes in the order of the data may be one series.
            sampled = outermost.subject == "batch" and self._is_shuffled
            turns = sampled and _turns_samples(operation, aten) and not any(_aten(operations[other]) == aten for other in behind)
            return Reordered(loss=loss, comparison=comparison, operation=operation, how=_TURNS[aten]) if turns else None
        if (
            aten in ("index", "index_select")
            and len(operation.inputs) == 2
            and _is_drawn(operations, operation.inputs[1], behind, min(learned))
        ):
            whole = operation.outputs[0].shape[:1] == given.shape[:1] and operation.inputs[1].shape == given.shape[:1]
            if whole and _picks_samples(operation, aten):
                return Reordered(loss=loss, comparison=comparison, operation=operation, how="permuted")
        return None

    def _finding(self, seen: Reordered) -> Finding:
        operation, target = seen.operation, seen.comparison.target
        how = seen.how
        return self.finding(
            f"the targets are {how} along their samples and the predictions are not, so that each meets the target of another one",
            at=operation.site,
            event=seen.loss,
            label=f"{operation.inputs[0]} is {how} after the model has seen the inputs",
            evidence={"targets": str(target), "predictions": str(seen.comparison.prediction), "by": _aten(operation)},
            related=[("compared here", seen.comparison.operation.site)] if seen.comparison.operation.site != operation.site else (),
            proof_note=(
                "the order is drawn after the forward has begun, and no prediction depends on it"
                if how == "permuted"
                else "samples come in random order from the loader, and no prediction is moved like this"
            ),
            help="compare predictions and targets in one order: index inputs and targets alike, before the forward",
            subjects={"*"},
        )


def _aten(operation: Operation) -> str:
    return str(operation.settings.get("aten")).removeprefix("aten::")


def _arguments(operation: Operation) -> tuple[object, ...]:
    arguments = operation.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    return arguments


def _outermost(operations: Sequence[Operation], value: Value) -> Value | None:
    """Returns what came from outside the step, or was picked there, and was only cast or laid out anew; None for what was computed."""
    while value.producer >= 0:
        operation = operations[value.producer]
        if operation.name == "gather" and operation.inputs[0].producer < 0:
            return value
        if operation.name not in LAYOUT | {"cast_integer"} or not operation.inputs:
            return None
        value = operation.inputs[0]
    return None if value.subject is not None and value.subject.startswith("parameter") else value


def _turns_samples(operation: Operation, aten: str) -> bool:
    """Tells whether samples change places: the first axis, and for a roll another place than their own."""
    arguments, size = _arguments(operation), operation.inputs[0].shape[0]
    if aten == "flip":
        return arguments[:1] == ((0,),)
    return len(arguments) == 2 and arguments[1] == (0,) and isinstance(arguments[0], tuple) and arguments[0][0] % size != 0


def _picks_samples(operation: Operation, aten: str) -> bool:
    """Tells whether an index goes along the first axis: `y[order]`, not `y[:, order]`."""
    arguments = _arguments(operation)
    if aten == "index_select":
        return arguments[:1] == (0,)
    return bool(arguments) and isinstance(arguments[0], tuple) and arguments[0][:1] != (None,)


def _is_drawn(operations: Sequence[Operation], index: Value, behind: set[int], began: int) -> bool:
    """Tells whether an order was drawn at random after the forward began, from nothing else, and no prediction knows of it."""
    made = set(ancestors(operations, [index.producer]))
    if not made or made & behind or min(made) < began:
        return False
    names = {_aten(operations[other]) for other in made}
    plain = all(operations[other].name in _ORDERING or _aten(operations[other]) in _DRAWS for other in made)
    inner = all(value.producer >= 0 for other in made for value in operations[other].inputs)
    return bool(names & _DRAWS) and plain and inner


def _is_compared_again(loss: Loss, comparison: Comparison, found: Sequence[Comparison]) -> bool:
    """Tells whether the prediction is compared with something else too, as mixup does, or is itself put in that order."""
    mine = through_layout(loss.operations, comparison.prediction.producer, also=_SQUASHING)
    return any(
        other.operation.index != comparison.operation.index
        and through_layout(loss.operations, other.prediction.producer, also=_SQUASHING) == mine
        for other in found
    )


def _is_control(operation: Operation) -> bool:
    location = resolved(operation.site)
    if location is None:
        return False
    return _CONTROL.search(location.function) is not None or _CONTROL.search(location.source.partition("=")[0]) is not None
