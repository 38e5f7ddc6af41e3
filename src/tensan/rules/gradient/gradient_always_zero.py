"""GRD104: parameters whose gradient is zero by construction: what they compute is rounded, saturated or cancelled before the loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tensan.core.asks import Answer, Ask, Change, Intervention, Measure
from tensan.core.events.things import Operation, Parameter, Spread, Value
from tensan.core.events.training import Loss, Measured
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import LAYOUT, ancestors, behind_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.core.stats import Of, Reduction, Stat
from tensan.rules.traces import downstream, parameters_behind

_ZEROS = Stat(Reduction.ZERO_SHARE, Of.GRADIENT)
_LARGEST = Stat(Reduction.MAXIMUM, Of.PARAMETER)
_ENOUGH = 5
#: Zero-initialised branches and adapters have come to life by then.
_FIRST_STEP = 8
#: Losses of two steps that differ by less, relatively or as such, may be one and the same.
_SAME, _SMALL = 1e-4, 1e-6
#: Change of the loss that rounding explains, relative to the largest value on the way to it.
_ROUNDING = 1e-5
#: Recorded steps in each of which the sum was constant.
_TRACES = 2
#: Their slope is zero everywhere.
_STEPS = frozenset({"round", "sign"})
#: Their slope is zero far enough out.
_SATURATING = frozenset({"sigmoid", "tanh", "clamp", "softmax", "hardsigmoid"})
#: From here on 1 - sigmoid(x) and 1 - tanh(x) ** 2 are zero in float32.
_SIGMOID_IS_ONE, _TANH_IS_ONE = 17.5, 9.1
#: Let some values through and others not.
_SWITCHES = frozenset({"relu", "where", "masked_fill", "maximum", "minimum", "index", "masked_select"})
#: A factor of zero makes the gradient of the other zero.
_PRODUCTS = frozenset({"matmul", "convolution", "mul"})


class GradientAlwaysZero(Rule):
    """
    ## What it does
    Finds parameters that are on the way to the loss and whose gradient is zero from the first step on, and names what makes it zero: a
    rounding or a sign, a `clamp`, `sigmoid` or `tanh` that is saturated for every input, two factors that both begin at zero, a sum
    over the axis along which a softmax or a normalisation has fixed it, or a loss that stays what it is whatever the model gives.

    ## Why is this bad?
    The graph is whole, every parameter has a gradient, and nothing learns: a slope of zero is multiplied into all that lies before it.

    ## Example
    ```python
    score = torch.round(model(x))
    loss = ((score - y) ** 2).mean()
    ```

    ## Use instead
    ```python
    loss = ((model(x) - y) ** 2).mean()        # and round where the result is reported
    ```
    Where the rounding belongs to the model, pass its gradient on: `x + (torch.round(x) - x).detach()`.

    ## Known problems
    What had a gradient once is not told: a hinge that is satisfied looks the same. Dead ReLUs are `dead-units`. Whether a loss depends on
    what the model gives is asked where it had the same value in two steps, and where what leads from the model to it can be computed again.
    Terms whose weight is zero for now pass, and so does saturation before a mask, a `relu` or a factor that does not learn. Saturation that
    is concluded from the gradients, and was not measured in two recorded steps as well, is told as a hint, where hints are asked for.
    """

    code = "GRD104"
    name = "gradient-always-zero"
    category = Category.CORRECTNESS
    law = 7
    needs = (_ZEROS, _LARGEST)
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._loss: Loss | None = None
        self._constant: dict[Place, int] = {}
        self._zero: dict[str, int] = {}
        self._lived: set[str] = set()
        self._largest: dict[str, float] = {}
        self._told: set[Place] = set()
        #: Operations all of whose values were seen to lie where the slope is zero, by line: how often, and the last spread.
        self._flat: dict[Place, tuple[int, Spread]] = {}
        #: By line of the backward, the last loss that was seen there.
        self._values: dict[Place, float] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding | Ask]:
        self._loss = loss
        self.armed = self.armed or loss.value.producer >= 0
        value, last = loss.results.get(-1), self._values.get(loss.site)
        if value is not None:
            self._values[loss.site] = value
        if value is not None and last is not None and abs(value - last) <= _SAME * max(abs(value), abs(last)) + _SMALL:
            yield Ask(intervention=Intervention(change=Change.NOISE, subject="outputs"), measure=Measure.LOSS, step=loss.step, note=loss)
        before = frozenset(ancestors(loss.operations, [loss.value.producer])) if loss.value.producer >= 0 else frozenset()
        for operation in loss.operations:
            spread = loss.spreads.get(operation.index, (None, None))[0]
            if spread is not None and is_flat(operation, spread):
                self._flat[operation.site] = self._flat.get(operation.site, (0, spread))[0] + 1, spread
            fixed = _fixed_by(loss.operations, operation) if operation.index in before else None
            behind = _only_through(loss, operation) if fixed is not None else frozenset()
            if fixed is None or not behind or operation.site in self._told:
                continue
            self._constant[operation.site] = self._constant.get(operation.site, 0) + 1
            if self._constant[operation.site] >= _TRACES:
                self._told.add(operation.site)
                parameters = [leaf for leaf in loss.leaves if leaf.id in behind]
                yield self._finding(
                    loss,
                    parameters,
                    operation.site,
                    label=f"`{operation.name}` over what `{fixed.name}` has fixed: it is the same for every input",
                    note=f"`{fixed.name}` makes this {operation.name} a constant, and nothing else leads from these parameters to the loss",
                    help=f"take the {operation.name} over another axis, or of what goes into the `{fixed.name}`",
                    related=(f"`{fixed.name}` is here", fixed.site if fixed.site != operation.site else None),
                )

    def on_answer(self, answer: Answer) -> Iterator[Finding]:
        loss, index = answer.ask.note, answer.details.get("operation")
        if answer.value is None or answer.value > _ROUNDING or not isinstance(loss, Loss) or not isinstance(index, int) or index < 0:
            return
        operation = loss.operations[index]
        at = operation.site or loss.site
        if at in self._told or _is_switched_off(loss):
            return
        self._told.add(at)
        yield self._finding(
            loss,
            [leaf for leaf in loss.leaves if leaf.registered or leaf.owners],
            at,
            label=f"what `{operation.name}` gives here is the same whatever the model gives",
            note="with noise in the place of the model's output the loss stays what it is, but for rounding "
            f"({answer.value:.0e} of the largest value on the way to it)",
            help="compare the output with the targets: not with itself, and not after what has made it the same for every input",
            proof=Proof.INTERVENTION,
        )

    def on_measured(self, measured: Measured) -> Iterator[Finding]:
        if measured.stat == _LARGEST:
            self._largest.update(measured.values)
        if measured.stat != _ZEROS:
            return
        for name, share in measured.values.items():
            self._zero[name] = self._zero.get(name, 0) + 1
            if share < 1.0:
                self._lived.add(name)
        zero = {name for name in measured.values if name not in self._lived and self._zero[name] >= _ENOUGH}
        if measured.step < _FIRST_STEP or not zero or self._loss is None:
            return
        parameters = [measured.parameters[name] for name in measured.values if name in zero]
        steps = min(self._zero[name] for name in zero)
        factors = list(self._both_zero(measured, self._loss, parameters, zero, steps))
        yield from factors or self._blocked(measured, self._loss, parameters, zero, steps)

    def _blocked(self, event: Measured, loss: Loss, parameters: list[Parameter], zero: set[str], steps: int) -> Iterator[Finding]:
        for index in ancestors(loss.operations, [loss.value.producer]):
            operation = loss.operations[index]
            if operation.name not in _STEPS | _SATURATING or not any(value.requires_grad for value in operation.inputs):
                continue
            behind = _only_through(loss, operation)
            shut = operation.name in _SATURATING and _is_shut_later(loss, operation)
            if not behind or not behind <= zero or shut:
                continue
            if operation.site not in self._told:
                self._told.add(operation.site)
                step = operation.name in _STEPS
                times, spread = self._flat.get(operation.site, (0, None))
                found = self._finding(
                    event,
                    [parameter for parameter in parameters if parameter.id in behind],
                    operation.site,
                    label=f"the slope of `{operation.name}` is zero " + ("everywhere" if step else "where everything it is given lies"),
                    note=f"the gradient of all that is behind `{operation.name}` alone was exactly zero at each of {steps} measured steps"
                    + (f"; all that it is given lies from {spread.minimum:.4g} to {spread.maximum:.4g}" if spread is not None else ""),
                    help="round where the result is reported, or pass the gradient on: `x + (torch.round(x) - x).detach()`"
                    if step
                    else f"scale what goes into `{operation.name}` to where it has a slope: inputs, initial weights, or its bounds",
                )
                # Where that it is saturated is concluded and not measured, it is on trial.
                yield found if step or times >= _TRACES else msgspec.structs.replace(found, preview=True)
            return

    def _both_zero(self, event: Measured, loss: Loss, parameters: list[Parameter], zero: set[str], steps: int) -> Iterator[Finding]:
        empty = [parameter for parameter in parameters if len(parameter.shape) >= 2 and self._largest.get(parameter.id) == 0.0]
        for later in empty:
            met = [operation for operation in loss.operations if any(_subject(loss, value) == later.id for value in operation.inputs)]
            behind = frozenset(
                name for operation in met if operation.name not in LAYOUT for name in parameters_behind(loss.operations, operation.index)
            )
            earlier = next((one for one in empty if one.id != later.id and one.id in behind), None)
            place = later.written or later.made
            if earlier is not None and place in self._told:
                return
            if earlier is not None:
                self._told.add(place)
                yield self._finding(
                    event,
                    [earlier, later],
                    place,
                    label=f"`{earlier.name}` and `{later.name}` are both zero, and each is multiplied into the gradient of the other",
                    note=f"both are zero, and so was their gradient at each of {steps} measured steps",
                    help="let one of the two begin at zero, and the other at random",
                    related=(f"`{earlier.name}` was made here", earlier.made),
                )
                return

    def _finding(
        self,
        event: Loss | Measured,
        parameters: Sequence[Parameter],
        at: Place,
        *,
        label: str,
        note: str,
        help: str,
        related: tuple[str, Place] = ("", None),
        proof: Proof = Proof.LAW,
    ) -> Finding:
        names = ", ".join(f"`{parameter.name}`" for parameter in parameters[:3]) + (", …" if len(parameters) > 3 else "")
        return self.finding(
            f"the gradient of {names} is always zero",
            at=at,
            event=event,
            label=label,
            evidence={"parameters": [parameter.name for parameter in parameters[:10]], "count": len(parameters)},
            related=[related],
            proof=proof,
            proof_note=note,
            help=help,
            subjects={parameter.id for parameter in parameters},
        )


def is_flat(operation: Operation, spread: Spread) -> bool:
    """Tells whether all values of a spread lie where an operation has no slope: beyond a bound, or where it gives exactly one."""
    if operation.name == "clamp":
        least, most = _bounds(operation)
        return (least is not None and spread.maximum < least) or (most is not None and spread.minimum > most)
    if operation.name == "sigmoid":
        return spread.minimum > _SIGMOID_IS_ONE
    return operation.name == "tanh" and (spread.minimum > _TANH_IS_ONE or spread.maximum < -_TANH_IS_ONE)


def _bounds(operation: Operation) -> tuple[float | None, float | None]:
    given = operation.settings.get("arguments")
    numbers = [item if isinstance(item, (int, float)) else None for item in given] if isinstance(given, tuple) else []
    match operation.settings.get("aten"):
        case "aten::clamp_min" | "aten::clamp_min_":
            numbers = [*numbers[:1], None]
        case "aten::clamp_max" | "aten::clamp_max_":
            numbers = [None, *numbers[:1]]
        case "aten::hardtanh" | "aten::hardtanh_":
            numbers = numbers or [-1.0, 1.0]
        case _:
            pass
    least, most = [*numbers, None, None][:2]
    return least, most


def _is_shut_later(loss: Loss, operation: Operation) -> bool:
    """Tells whether a result meets what may let no gradient through: a factor that does not learn and may be zero, or a switch."""
    after = (loss.operations[index] for index in downstream(loss.operations, [operation.index]) if index != operation.index)
    return any(map(_is_times_zero, loss.operations)) or any(one.name in _SWITCHES or _has_fixed_factor(one) for one in after)


def _has_fixed_factor(operation: Operation) -> bool:
    return operation.name in _PRODUCTS and any(not value.requires_grad for value in operation.inputs)


def _is_times_zero(operation: Operation) -> bool:
    """Tells whether a value is multiplied by the number zero, as the weight of a term that begins later is."""
    arguments = operation.settings.get("arguments")
    numbers = arguments if operation.name in _PRODUCTS and isinstance(arguments, tuple) else ()
    return any(isinstance(number, (int, float)) and not isinstance(number, bool) and number == 0 for number in numbers)


def _is_switched_off(loss: Loss) -> bool:
    """Tells whether a loss may be left out for now: its weight is zero, or it is zero and nothing of the batch counts."""
    before = [loss.operations[index] for index in ancestors(loss.operations, [loss.value.producer])] if loss.value.producer >= 0 else []
    if any(operation.name == "mul" and _is_times_zero(operation) for operation in before):
        return True
    return loss.results.get(-1) == 0.0 and any(operation.name in _SWITCHES or _has_fixed_factor(operation) for operation in before)


def _subject(loss: Loss, value: Value) -> str:
    """Returns the parameter that a value is, a transposed one's too."""
    return behind_layout(loss.operations, value).subject or ""


def _only_through(loss: Loss, operation: Operation) -> frozenset[str]:
    """Returns the parameters that reach the loss through an operation alone."""
    behind = parameters_behind(loss.operations, operation.index)
    return behind - _parameters_without(loss.operations, loss.value.producer, operation.index) if behind else behind


def _parameters_without(operations: Sequence[Operation], start: int, left_out: int) -> frozenset[str]:
    seen, found, waiting = {left_out}, set[str](), [start]
    while waiting:
        index = waiting.pop()
        if index in seen or index < 0:
            continue
        seen.add(index)
        for value in operations[index].inputs:
            if value.subject is not None and value.requires_grad:
                found.add(value.subject)
            waiting.append(value.producer)
    return frozenset(found)


def _fixed_by(operations: Sequence[Operation], operation: Operation) -> Operation | None:
    """Returns the softmax or the normalisation that makes a sum or a mean the same for every input."""
    if operation.name not in ("sum", "mean") or not operation.inputs or operation.inputs[0].producer < 0:
        return None
    maker = operations[operation.inputs[0].producer]
    rank = len(operation.inputs[0].shape)
    over = _axes(operation, rank)
    if maker.name == "softmax":
        given = maker.settings.get("arguments")
        axis = given[0] if isinstance(given, tuple) and given else None
        fixed: Iterable[int] = [axis % rank] if isinstance(axis, int) and rank else []
    elif maker.name == "layer_norm":
        given = maker.settings.get("arguments")
        shape = given[0] if isinstance(given, tuple) and given else ()
        affine = len(maker.inputs) > 1
        fixed = range(rank - len(shape), rank) if isinstance(shape, tuple) and not affine else []
    elif maker.name == "batch_norm":
        given = maker.settings.get("arguments")
        training = isinstance(given, tuple) and True in given[:3]
        fixed = [axis for axis in range(rank) if axis != 1] if training and rank > 1 else []
    else:
        return None
    return maker if fixed and set(fixed) <= over and any(value.requires_grad for value in maker.inputs) else None


def _axes(operation: Operation, rank: int) -> set[int]:
    given = operation.settings.get("arguments")
    axes = next((item for item in given if isinstance(item, tuple)), None) if isinstance(given, tuple) else None
    if not axes:
        return set(range(rank))
    return {axis % rank for axis in axes if isinstance(axis, int) and rank}
