"""GRD103: a layer whose units give zero for every input, so that nothing before it and after it can learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.things import Operation, Optimizer, Parameter
from tensan.core.events.training import Backward, Loss, Measured, OptimizerBuilt
from tensan.core.findings import Category, Finding, Proof
from tensan.core.operations import LAYOUT
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.core.stats import Of, Reduction, Stat

_ZEROS = Stat(Reduction.ZERO_SHARE, Of.GRADIENT)
_LARGEST = Stat(Reduction.MAXIMUM, Of.PARAMETER)
_ENOUGH = 5
#: Zero-initialised branches and adapters have come to life by then.
_FIRST_STEP = 8
#: Recorded steps in each of which a layer gave nothing but zeros.
_TRACES = 2
_WEIGHTED = frozenset({"matmul", "convolution"})
_PASSING = LAYOUT | {"pool", "dropout", "mul", "concatenate"}


class _Layer(msgspec.Struct):
    """A layer before a ReLU, by the ids of its parameters, and the weights that read what it gives."""

    parameters: tuple[str, ...]
    readers: set[str] = msgspec.field(default_factory=set)
    zero: int = 0
    alive: bool = False


class DeadUnits(Rule):
    """
    ## What it does
    Finds layers all of whose units give zero for every input, step after step, so that no weight before or behind them receives gradient.

    ## Why is this bad?
    A ReLU has no slope where it is shut. After an initialisation far below zero, or a step far too large, all units of a layer
    can be shut for all inputs: they stay dead, and the model predicts one constant.

    ## Example
    ```python
    nn.init.normal_(layer.weight, std=0.05)
    nn.init.constant_(layer.bias, -3.0)
    ```

    ## Use instead
    ```python
    nn.init.kaiming_normal_(layer.weight)
    nn.init.zeros_(layer.bias)
    ```

    ## Known problems
    Where a few units of a layer still live, nothing is said. Models with more than sixteen parameters are measured in turns, and
    most of them are not judged.
    """

    code = "GRD103"
    name = "dead-units"
    category = Category.CORRECTNESS
    law = 7
    needs = (_ZEROS, _LARGEST)
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._leaves: tuple[Parameter, ...] = ()
        self._layers: dict[tuple[str, ...], _Layer] = {}
        self._optimizers: dict[str, Optimizer] = {}
        self._largest: dict[str, float] = {}
        self._written: dict[str, Parameter] = {}
        self._lived: set[str] = set()
        self._in_a_row: dict[str, int] = {}
        self._count: dict[str | None, int] = {}
        self._told: set[object] = set()

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_backward(self, backward: Backward) -> None:
        self._leaves = backward.leaves

    def on_loss(self, event: Loss) -> None:
        for operation in event.operations:
            if operation.name != "relu" or "all_zero" not in operation.settings:
                continue
            parameters = _layer_before(event.operations, operation)
            readers = _weights_behind(event.operations, operation.index)
            if not parameters or not readers:
                continue
            layer = self._layers.setdefault(parameters, _Layer(parameters))
            layer.readers |= readers
            if operation.settings["all_zero"]:
                layer.zero += 1
            else:
                layer.alive = True

    def on_measured(self, measured: Measured) -> Iterator[Finding]:
        if measured.stat == _LARGEST:
            self._largest.update(measured.values)
        if measured.stat != _ZEROS or not measured.values:
            return
        shares = measured.values
        for name, share in shares.items():
            self._in_a_row[name] = self._in_a_row.get(name, 0) + 1 if share >= 1.0 else 0
            self._written[name] = measured.parameters[name]
            if share < 1.0:
                self._lived.add(name)
        self.armed = self.armed or bool(self._layers)
        yield from self._dead_layers(measured)
        yield from self._dead_model(measured)

    # ---- a layer that was seen to give zeros only ----

    def _dead_layers(self, measured: Measured) -> Iterator[Finding]:
        if measured.step < _FIRST_STEP:
            return
        for layer in self._layers.values():
            if layer.alive or layer.zero < _TRACES or layer.parameters in self._told:
                continue
            readers = [name for name in layer.readers if name in measured.values]
            if readers and all(self._in_a_row[name] >= _ENOUGH for name in readers):
                self._told.update(other.parameters for other in self._layers.values())  # one dead layer starves those behind it
                self._told.add(measured.optimizer)
                yield self._finding(
                    measured, self._known(layer.parameters), self._known(layer.readers), min(map(self._in_a_row.__getitem__, readers))
                )
                return

    def _known(self, names: Sequence[str] | set[str]) -> list[Parameter]:
        by_id = {leaf.id: leaf for leaf in self._leaves} | self._written
        return [by_id[name] for name in names if name in by_id]

    # ---- a model of which only a bias at its end still learns ----

    def _dead_model(self, measured: Measured) -> Iterator[Finding]:
        optimizer, shares = measured.optimizer, measured.values
        behind = {leaf.id for leaf in self._leaves}
        parameters = [parameter for name, parameter in measured.parameters.items() if name in shares and (not behind or name in behind)]
        weights = [parameter for parameter in parameters if len(parameter.shape) >= 2]
        unseen = any(len(leaf.shape) >= 2 and optimizer in leaf.owners and leaf.id not in shares for leaf in self._leaves)
        if len(weights) < 2 or unseen:
            return
        self.armed = True
        alive = [parameter for parameter in parameters if len(parameter.shape) < 2 and shares[parameter.id] < 1.0]
        dead = alive and all(shares[weight.id] >= 1.0 for weight in weights)
        self._count[optimizer] = self._count.get(optimizer, 0) + 1 if dead else 0
        if self._count[optimizer] >= _ENOUGH and measured.step >= _FIRST_STEP and optimizer not in self._told:
            self._told.add(optimizer)
            prefix = weights[0].name.rpartition(".")[0]
            layer = [parameter for parameter in parameters if parameter.name.rpartition(".")[0] == prefix]
            yield self._finding(measured, layer, weights, self._count[optimizer], alive[-1])

    def _finding(
        self, measured: Measured, layer: Sequence[Parameter], readers: Sequence[Parameter], count: int, alive: Parameter | None = None
    ) -> Finding:
        weight = next((parameter for parameter in layer if len(parameter.shape) >= 2), layer[0])
        guilty = self._guilty(layer, weight)
        lived = weight.id in self._lived
        optimizer = self._optimizers.get(measured.optimizer or "") if lived else None
        # At an ordinary rate it takes inputs far from one to throw a layer that far.
        ordinary = optimizer is not None and max(measured.rates, default=0.0) <= (0.1 if optimizer.kind == "SGD" else 0.01)
        at: Place = weight.made if ordinary else optimizer.made if optimizer is not None else guilty.written or guilty.made
        rate = f" of {max(measured.rates):g}" if measured.rates else ""
        return self.finding(
            f"all units of the layer of {weight} are dead: they give zero for every input, so nothing before them learns",
            at=at,
            event=measured,
            label=f"steps at a rate{rate} threw {weight} to where no unit fires"
            if optimizer is not None
            else f"leaves no unit of `{weight.name}` that fires",
            evidence={
                "dead": [parameter.name for parameter in layer[:4]],
                "starved": [parameter.name for parameter in readers[:10]],
                "largest": self._largest.get(guilty.id),
            },
            related=[
                (f"`{weight.name}` was made here", weight.made if at != weight.made else None),
                (
                    f"{optimizer.kind if optimizer is not None else 'it'} has its rate from here",
                    optimizer.made if ordinary and optimizer else None,
                ),
            ],
            proof=Proof.LAW,
            proof_note=f"the gradient of the weights behind it was exactly zero at each of {count} measured steps"
            + (f", while `{alive.name}` still receives some" if alive is not None else ""),
            help="scale the inputs to about one, or lower the learning rate"
            if ordinary
            else "lower the learning rate, or warm it up"
            if optimizer is not None
            else "start biases of ReLU layers at zero or above, and weights around zero, such as by `kaiming_normal_`",
            subjects={parameter.id for parameter in (*layer, *readers)},
        )

    def _guilty(self, layer: Sequence[Parameter], weight: Parameter) -> Parameter:
        """Returns the parameter whose values shut the units: a bias that is negative throughout, or else the weight."""
        for parameter in layer:
            if len(parameter.shape) == 1 and parameter.written is not None and self._largest.get(parameter.id, 0.0) < 0:
                return parameter
        return weight


def _layer_before(operations: Sequence[Operation], activation: Operation) -> tuple[str, ...]:
    """Returns the parameters of the layer that an activation is applied to."""
    found: list[str] = []
    waiting = [value.producer for value in activation.inputs if value.producer >= 0]
    seen: set[int] = set()
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        found += [value.subject for value in operation.inputs if (value.subject or "").startswith("parameter") and value.subject]
        if operation.name not in _WEIGHTED:
            waiting += [value.producer for value in operation.inputs if value.producer >= 0]
    reaches_weight = any(operations[index].name in _WEIGHTED for index in seen)
    return tuple(dict.fromkeys(found)) if reaches_weight else ()


def _weights_behind(operations: Sequence[Operation], start: int) -> set[str]:
    """Returns the weights that are multiplied with what an operation gives."""
    reached, found = {start}, set()
    for operation in operations[start + 1 :]:
        if not any(value.producer in reached for value in operation.inputs):
            continue
        if operation.name in _WEIGHTED:
            found |= {
                value.subject
                for value in operation.inputs
                if value.subject and value.subject.startswith("parameter") and len(value.shape) >= 2
            }
        elif operation.name in _PASSING:
            reached.add(operation.index)
    return found
