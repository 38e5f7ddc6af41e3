"""LOS140: the optimizer climbs a loss that is to fall: its sign is turned round, or missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.run import RunEnd
from tensan.core.events.things import Operation, Optimizer, Value
from tensan.core.events.training import Loss, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.operations import EXPAND, LAYOUT, REDUCTION, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.traces import line_of

_SCALED = frozenset({"mul", "div"})
#: Never below zero, whatever the prediction, where the target is what the loss is defined on.
_NEVER_NEGATIVE = frozenset(
    {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss"}
)
_LOGARITHMS = frozenset({"log_softmax", "log"})
_NEEDED = 2


class _Path(msgspec.Struct, frozen=True):
    """From the loss down to what is measured: which way the sign goes, and where it was turned."""

    measured: Operation
    name: str
    sign: int
    turned: Operation | None


class _Seen(msgspec.Struct):
    """One line that is differentiated, and how often it was."""

    event: Loss
    path: _Path
    times: int = 0
    first: float = 0.0
    last: float = 0.0


class LossClimbed(Rule):
    """
    ## What it does

    Finds a squared error, a cross-entropy or another loss that is never below zero, of which an optimizer minimises the negative,
    and likelihoods of the targets that it minimises.

    ## Why is this bad?

    Each step makes the predictions worse. The number that is printed falls, as a good one does.

    ## Example

    ```python
    loss = F.log_softmax(model(x), dim=1).gather(1, y[:, None]).mean()
    loss.backward()
    ```

    ## Use instead

    ```python
    loss = -F.log_softmax(model(x), dim=1).gather(1, y[:, None]).mean()
    loss.backward()
    ```

    ## Known problems

    Silent where such a loss is minimised anywhere else in the program, as in adversarial training, where weights were loaded, as in
    unlearning, where what is trained is an input, and where the loss has other terms.
    """

    code = "LOS140"
    name = "loss-climbed"
    category = Category.CORRECTNESS
    law = 8
    explains = frozenset({"non-finite"})  # what is climbed knows no bound

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._maximizing: dict[str, Optimizer] = {}
        self._climbed: dict[object, _Seen] = {}
        self._descends = False

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        if event.optimizer.maximize:
            self._maximizing[event.optimizer.id] = event.optimizer

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        if event.optimizer.maximize:
            self._maximizing[event.optimizer.id] = event.optimizer

    def on_loss(self, loss: Loss) -> None:
        path = _path(loss.operations, loss.value)
        value = loss.results.get(-1)
        owners = {owner for leaf in loss.leaves for owner in leaf.owners}
        if path is None or value is None or len(owners) != 1:
            # Another loss, of terms that may push against each other, as a critic's: what climbs may be meant to.
            self._descends = True
            return
        self.armed = True
        climbs = (path.sign < 0) != bool(owners & self._maximizing.keys())
        if not climbs:
            self._descends = True
            return
        is_model = len(loss.leaves) >= 2 and all(leaf.registered and leaf.owners and not leaf.loaded for leaf in loss.leaves)
        # The value is the proof of the sign: minus what is never negative.
        if not is_model or not ((value < 0) if path.sign < 0 or path.name == "likelihood" else value > 0):
            return
        seen = self._climbed.setdefault(line_of(loss.site), _Seen(loss, path, first=value))
        seen.times += 1
        seen.last = value

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if self._descends:
            return
        for seen in self._climbed.values():
            if seen.times >= _NEEDED:
                yield self._finding(seen)

    def _finding(self, seen: _Seen) -> Finding:
        path, loss = seen.path, seen.event
        owner = next(iter({owner for leaf in loss.leaves for owner in leaf.owners}))
        by = self._maximizing.get(owner)
        place: Place = by.made if by is not None else path.turned.site if path.turned is not None else path.measured.site
        if by is not None:
            what, label, help = f"{path.name} is maximised", f"{by.kind} with maximize=True", "leave `maximize=True` out"
        elif path.turned is not None:
            what, label = f"minus {path.name} is minimised, so that {path.name} grows", "turned round here"
            help = "differentiate the loss itself, without the minus"
        else:
            what, label = "the likelihood of the targets is minimised", "grows where the prediction is right"
            help = "differentiate minus the log-likelihood, as `cross_entropy` does"
        return self.finding(
            f"the optimizer climbs its loss: {what}",
            at=place if place is not None else loss.site,
            event=loss,
            label=label,
            evidence={"first": seen.first, "later": seen.last, "loss": path.name},
            related=[("differentiated here", loss.site)] if line_of(place) != line_of(loss.site) else (),
            proof_note=f"what is differentiated was {seen.first:.4g} and later {seen.last:.4g}, and no other loss pulls the other way",
            help=help,
            subjects=[owner],
        )


def _numbers(operation: Operation) -> list[float]:
    arguments = operation.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    return [float(each) for each in arguments if isinstance(each, (int, float)) and not isinstance(each, bool)]


def _path(operations: Sequence[Operation], value: Value) -> _Path | None:
    """Follows a loss through signs, factors and reductions down to one thing that it measures; None where there are several terms."""
    sign, turned, index = 1, None, value.producer
    while index >= 0:
        operation = operations[index]
        learned = [given for given in operation.inputs if given.requires_grad]
        if operation.name in _NEVER_NEGATIVE and len(learned) == 1 and learned[0] is operation.inputs[0]:
            return _Path(operation, f"`{operation.name}`", sign, turned)
        if operation.name == "nll_loss" and _is_logarithm(operations, operation.inputs[0]):
            return _Path(operation, "the cross-entropy", sign, turned)
        if operation.name in ("gather", "index") and _is_logarithm(operations, operation.inputs[0]):
            # The logarithm of a likelihood: it is to grow.
            return _Path(operation, "likelihood" if turned is None else "the cross-entropy", -sign, turned)
        if operation.name in ("square", "abs", "pow") and _is_difference(operations, operation):
            return _Path(operation, "the squared error" if operation.name != "abs" else "the absolute error", sign, turned)
        if len(learned) != 1 or (len(operation.inputs) > 1 and operation.name not in LAYOUT | EXPAND):
            return None
        if operation.name == "neg":
            sign, turned = -sign, operation
        elif operation.name in _SCALED and _numbers(operation):
            if _numbers(operation)[0] < 0:
                sign, turned = -sign, operation
        elif operation.name not in LAYOUT | EXPAND | (REDUCTION - {"norm", "logsumexp"}):
            return None
        index = learned[0].producer
    return None


def _is_logarithm(operations: Sequence[Operation], value: Value) -> bool:
    index = through_layout(operations, value.producer)
    return index >= 0 and operations[index].name in _LOGARITHMS


def _is_difference(operations: Sequence[Operation], operation: Operation) -> bool:
    """Tells whether what is squared is a prediction less a target."""
    if operation.name == "pow" and _numbers(operation)[:1] != [2.0]:
        return False
    index = through_layout(operations, operation.inputs[0].producer)
    if index < 0 or operations[index].name != "sub" or len(operations[index].inputs) != 2:
        return False
    left, right = operations[index].inputs
    return left.requires_grad != right.requires_grad and (right if left.requires_grad else left).producer < 0
