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
    Finds a model whose weight matrices all receive a gradient of exactly zero, step after step, while a bias still learns.

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
    Names where the first dead weight was made, not what made it dead. A model in which a part still learns is not accused.
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
        self._behind: set[str] = set()
        self._count: dict[str | None, int] = {}
        self._told: set[str | None] = set()

    def on_backward(self, backward: Backward) -> None:
        self._behind = {leaf.id for leaf in backward.leaves}

    def on_measured(self, measured: Measured) -> Iterator[Finding]:
        if measured.stat != _ZEROS:
            return
        roots: dict[str | None, list[Parameter]] = {}
        for name, parameter in measured.parameters.items():
            if name in measured.values and (not self._behind or name in self._behind):
                roots.setdefault(parameter.root, []).append(parameter)
        for root, parameters in roots.items():
            weights = [parameter for parameter in parameters if len(parameter.shape) >= 2]
            dead = bool(weights) and all(measured.values[parameter.id] >= 1.0 for parameter in weights)
            alive = [parameter for parameter in parameters if len(parameter.shape) < 2 and measured.values[parameter.id] < 1.0]
            self.armed = self.armed or len(weights) > 1
            self._count[root] = self._count.get(root, 0) + 1 if dead and alive and len(weights) > 1 else 0
            if self._count[root] >= _ENOUGH and measured.step >= _FIRST_STEP and root not in self._told:
                self._told.add(root)
                yield self._finding(measured, weights, alive[-1], self._count[root])

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
