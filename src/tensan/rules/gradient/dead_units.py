"""A network in which no weight receives gradient any more, only a bias at its end."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events import Backward, Measured, Parameter
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.stats import Of, Reduction, Stat

_ZEROS = Stat(Reduction.ZERO_SHARE, Of.GRADIENT)
_ENOUGH = 5
#: Zero-initialised branches and adapters have come to life by then.
_FIRST_STEP = 8


class DeadUnits(Rule):
    """
    ## What it does
    Finds an optimizer whose weight matrices all receive a gradient of exactly zero, step after step, while a bias still learns.

    ## Why is this bad?
    All units of a layer give zero for every input, most often after an initialisation far below zero or a step far too large. A ReLU
    has no slope there, so they stay dead, and the model predicts one constant for all inputs.

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
    Names where the first dead weight was made, not what made it dead. Where a part of what one optimizer trains
    still learns, nothing is said.
    """

    code = "GRD103"
    name = "dead-units"
    category = Category.CORRECTNESS
    law = 7
    preview = True
    needs = (_ZEROS,)
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._leaves: tuple[Parameter, ...] = ()
        self._count: dict[str | None, int] = {}
        self._told: set[str | None] = set()

    def on_backward(self, backward: Backward) -> None:
        self._leaves = backward.leaves

    def on_measured(self, measured: Measured) -> Iterator[Finding]:
        if measured.stat != _ZEROS or not measured.values:
            return
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
            yield self._finding(measured, weights, alive[-1], self._count[optimizer])

    def _finding(self, measured: Measured, weights: list[Parameter], alive: Parameter, count: int) -> Finding:
        return self.finding(
            f"no weight of the model receives gradient: all {len(weights)} matrices have a gradient of exactly zero",
            at=weights[0].made,
            event=measured,
            label=f"{weights[0]} is dead",
            evidence={"dead": [weight.name for weight in weights[:10]], "alive": alive.name},
            proof=Proof.LAW,
            proof_note=f"exactly zero at each of {count} measured steps, while `{alive.name}` still receives gradient",
            help="look at the initialisation, and for a step that was far too large; start biases of ReLU layers at zero or above",
            subjects={weight.id for weight in weights},
        )
