"""The first gradient that is not finite, before it reaches the weights."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.numerics import NonfiniteOrigin
from tensan.core.events.things import Operation, Parameter
from tensan.core.events.training import Backward, Loss, Measured, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.operations import SINGULAR, ancestors
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.core.stats import Of, Reduction, Stat
from tensan.rules.numerics._wording import explained
from tensan.rules.traces import line_of, parameters_behind

_NONFINITE = Stat(Reduction.NONFINITE_SHARE, Of.GRADIENT)


class NonfiniteGradient(Rule):
    """
    ## What it does
    Finds the first optimizer step that is about to use a gradient with NaN or Inf in it, and names the operation that made it, forward or
    backward, or the batch that brought it. Before the weights are touched, the operations of the last recorded step are run again on this
    step's own values: what they compute must be the very gradients (and, where the program still holds it, the very loss) that the
    program has, and the first operation that makes a non-finite value out of finite ones is the one.

    ## Why is this bad?
    One such step and the weights are gone: everything after it is NaN. A finite loss does not protect: `sqrt(0)` is 0, and its
    derivative is not finite.

    ## Example
    ```python
    distance = torch.sqrt(((a - b) ** 2).sum(1))       # a == b in one pair of ten thousand
    ```

    ## Use instead
    ```python
    distance = torch.sqrt(((a - b) ** 2).sum(1) + 1e-8)
    ```
    `torch.where` around the root does not help, since the gradient of the branch not taken is multiplied by 0, and 0 · inf is NaN: replace
    the input instead.

    ## Known problems
    Silent where the loss is scaled for mixed precision: the scaler looks for overflows itself and skips such steps; see
    `every-step-skipped`. Where the recorded step does not fit (batches of ever new shapes, data-dependent branches, custom
    functions), only what has an unbounded derivative on the way to the loss is named, and only if it is alone.
    """

    code = "NUM101"
    name = "non-finite-gradient"
    category = Category.CORRECTNESS
    law = 14
    needs = (_NONFINITE,)
    effect = "non-finite"
    explains = frozenset({"non-finite", "no-update", "no-gradient", "wrong-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._loss: Loss | None = None
        self._scaled = False
        self._told = False
        self._clean_at = -1
        self._origin: NonfiniteOrigin | None = None

    def on_loss(self, loss: Loss) -> None:
        self._loss = loss

    def on_backward(self, backward: Backward) -> None:
        self._scaled = self._scaled or backward.scaled

    def on_optimizer_step(self, step: OptimizerStep) -> None:
        self._scaled = self._scaled or step.through == "scaler"

    def on_nonfinite_origin(self, origin: NonfiniteOrigin) -> None:
        self._origin = origin

    def on_measured(self, measured: Measured) -> Iterator[Finding]:
        if measured.stat != _NONFINITE or self._scaled or self._told:
            return
        self.armed = True
        guilty = [name for name, share in measured.values.items() if share > 0]
        if not guilty:
            self._clean_at = measured.step
            return
        self._told = True
        origin = self._origin if self._origin is not None and self._origin.step == measured.step else None
        parameters = [measured.parameters[name] for name in guilty if name in measured.parameters]
        told = explained(origin) if origin is not None else None
        if told is not None and told.at is not None:
            gradients = _names(parameters, guilty)
            message = (
                told.message.format(gradients=gradients)
                if told.message
                else f"the gradient of {gradients} is not finite, and the optimizer is about to use it"
            )
            yield self.finding(
                message,
                at=told.at,
                event=measured,
                label=told.label,
                evidence={"parameters": [parameter.name for parameter in parameters[:10]], "count": len(guilty), "of": len(measured.values)}
                | dict(told.evidence),
                related=[*told.related, ("differentiated here", measured.backward)],
                proof_note=told.proof,
                help=told.help,
                subjects={"*"},
            )
            return
        forward = _first_in_forward(self._loss, measured.step)
        candidates = [] if forward else _candidates(self._loss, frozenset(guilty), frozenset(measured.values))
        yield self._finding(measured, guilty, parameters, forward, candidates)

    def _finding(
        self, measured: Measured, guilty: list[str], parameters: list[Parameter], forward: Operation | None, candidates: list[Operation]
    ) -> Finding:
        lines = {line_of(operation.site) for operation in candidates}
        at: Place = measured.backward or measured.site
        label, related, note, name = "computed here", [(_may(operation), operation.site) for operation in candidates[:2]], "", ""
        help = (
            "keep what a root, norm, logarithm or division sees away from zero (`+ 1e-8` inside), or replace the value before the operation"
            if candidates
            else "look at this batch for NaN and Inf, and for an operation or a step that overflows"
        )
        if forward is not None and forward.site is not None:
            at, label = forward.site, f"{_share(forward)} of its result is not finite, and its inputs are"
            related = [("differentiated here", measured.backward)]
            name = forward.name
            note = f"`{forward.name}` is the first operation of the step whose result is not finite"
        elif len(lines) == 1 and None not in lines:
            singular = candidates[0]
            name = singular.name
            behind = self._loss is not None and frozenset(guilty) <= parameters_behind(self._loss.operations, singular.index)
            more = (
                f" that all of the {len(guilty)} pass through"
                if behind
                else f"; the last look before step {measured.step} was {_ago(self._clean_at)}"
            )
            at, label = singular.site, f"the derivative of `{singular.name}` is unbounded"
            related = [("differentiated here", measured.backward)]
            note = f"of all operations between these parameters and the loss, only `{singular.name}` here has an unbounded derivative{more}"
        return self.finding(
            f"the gradient of {_names(parameters, guilty)} is not finite, and the optimizer is about to use it",
            at=at,
            event=measured,
            label=label,
            evidence={"parameters": [parameter.name for parameter in parameters[:10]], "count": len(guilty), "of": len(measured.values)}
            | ({"operation": name} if name else {}),
            related=related,
            proof_note=note or f"{len(guilty)} of {len(measured.values)} gradients hold NaN or Inf before the step",
            help=help,
            subjects={"*"},
        )


def _names(parameters: list[Parameter], guilty: list[str]) -> str:
    names = [f"`{parameter.name}`" for parameter in parameters[:3]]
    left = len(guilty) - len(names)
    if not names:
        return f"{left} parameter{'s' if left > 1 else ''}"
    return ", ".join(names) + (f" and {left} more" if left else "")


def _ago(clean_at: int) -> str:
    return f"at step {clean_at}, and found none" if clean_at >= 0 else "never"


def _may(operation: Operation) -> str:
    return f"the derivative of `{operation.name}` is unbounded: it may be here"


def _share(operation: Operation) -> str:
    share = max((value.nonfinite or 0.0) for value in operation.outputs)
    return f"{share:.0%}" if share >= 0.01 else "a part"


def _first_in_forward(loss: Loss | None, step: int) -> Operation | None:
    """Follows non-finite values back from the loss of that very step; an infinite mask that a softmax makes finite is not on the way."""
    if loss is None or loss.step != step or not loss.value.nonfinite:
        return None
    index = loss.value.producer
    while index >= 0:
        further = next((v.producer for v in loss.operations[index].inputs if v.nonfinite), None)
        if further is None:
            return loss.operations[index]
        index = further
    return None


def _candidates(loss: Loss | None, guilty: frozenset[str], measured: frozenset[str]) -> list[Operation]:
    """Operations with an unbounded derivative that the gradient of every guilty parameter has come through.

    Where some of them lie behind no finite parameter at all, only those are left: what comes through a broken one is broken. Where
    every gradient is broken, the first break may have gone unseen and have reached the weights: then all of them count.
    """
    if loss is None:
        return []
    operations = loss.operations
    found, others = [], []
    for index in sorted(ancestors(operations, [loss.value.producer])):
        operation = operations[index]
        if not _is_singular(operation) or not any(value.requires_grad for value in operation.outputs):
            continue
        behind = parameters_behind(operations, index)
        if guilty <= behind:
            found.append((operation, behind & measured <= guilty))
        elif behind:
            others.append(operation)
    exact = [operation for operation, clean in found if clean]
    return exact or [operation for operation, _ in found] or (others if guilty == measured else [])


def _is_singular(operation: Operation) -> bool:
    """Leaves out powers of one and more, first-order norms, and divisions by a plain number, which are harmless."""
    if operation.name not in SINGULAR:
        return False
    if operation.name == "pow":
        exponent = _plain_number(operation, "exponent")
        return len(operation.inputs) > 1 or (exponent is not None and exponent < 1 and exponent != 0)
    if operation.name in ("div", "atan2"):
        return len(operation.inputs) > 1 and operation.inputs[1].requires_grad
    if operation.name == "norm":
        return _plain_number(operation, "order") not in (1, float("inf"))
    return True


def _plain_number(operation: Operation, name: str) -> float | None:
    """Returns a setting by name, or else the first plain number that was given beside the arrays."""
    given = operation.settings.get("arguments")
    value = operation.settings.get(name, next(iter(given), None) if isinstance(given, tuple) else None)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
