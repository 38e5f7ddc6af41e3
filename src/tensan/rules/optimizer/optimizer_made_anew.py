"""OPT120: an optimizer with a memory is made anew in a loop, so that it never remembers more than one round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from tensan.core.events.data import EpochStart
from tensan.core.events.things import Parameter
from tensan.core.events.training import OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.traces import line_of

#: Lives of the same kind in a row.
_LEAST_LIVES = 3
#: Keep averages of the gradient; what others keep cannot be told from their kind.
_REMEMBERS = frozenset({"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "SparseAdam", "RMSprop", "Adagrad", "Adadelta", "Adafactor"})


class _Life(msgspec.Struct, kw_only=True):
    """What an optimizer has done since it was made."""

    steps: int = 0
    passes: Counter[str] = msgspec.field(default_factory=Counter)


class OptimizerMadeAnew(Rule):
    """
    ## What it does

    Finds an optimizer such as Adam, or SGD with momentum, that is made anew, with the same settings and for the same parameters, for each
    step or for each pass over one and the same loader.

    ## Why is this bad?

    What it has learned of each parameter, the averages of the gradient and of its square, is thrown away each time. An Adam that lives for
    one step moves each weight by the learning rate, whatever its gradient. Nothing is raised, and the loss falls, only slower.

    ## Example

    ```python
    for x, y in loader:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        ...
        optimizer.step()
    ```

    ## Use instead

    ```python
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for x, y in loader:
        ...
        optimizer.step()
    ```

    ## Known problems

    Lives that differ in their rate, their parameters or their loaders pass, since tasks, stages and restarts are made so; so do epochs of
    models that the program initialises itself, since each may begin anew.
    """

    code = "OPT120"
    name = "optimizer-made-anew"
    category = Category.SUSPICIOUS
    law = 15
    effect = "wrong-update"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._lives: dict[str, _Life] = {}
        self._last: dict[object, str] = {}
        self._rows: dict[object, tuple[object, int]] = {}

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        if event.optimizer.id in self._lives:
            self._lives[event.optimizer.id].steps += 1

    def on_epoch_start(self, event: EpochStart) -> None:
        for life in self._lives.values():
            life.passes[event.loader.id] += 1

    def on_optimizer_built(self, event: OptimizerBuilt) -> Iterator[Finding]:
        optimizer = event.optimizer
        if not (optimizer.kind in _REMEMBERS or optimizer.momentum) or optimizer.id in self._lives or not event.parameters:
            return
        self.armed = True
        key = line_of(optimizer.made), optimizer.kind, optimizer.rates, frozenset(parameter.id for parameter in event.parameters)
        life = self._lives.pop(self._last.get(key, ""), None)
        self._last[key] = optimizer.id
        self._lives[optimizer.id] = _Life()
        if life is None:
            return
        kind: object = None
        if life.steps == 1:
            kind = "step"
        elif life.steps > 1 and set(life.passes.values()) == {1} and not any(map(_may_begin_anew, event.parameters)):
            kind = frozenset(life.passes)
        same, count = self._rows.get(key, (None, 0))
        self._rows[key] = kind, (count + 1 if kind == same else 1)
        if kind is not None and self._rows[key][1] == _LEAST_LIVES:
            yield self._finding(event, "step" if kind == "step" else "epoch")

    def _finding(self, event: OptimizerBuilt, unit: str) -> Finding:
        kind = event.optimizer.kind
        return self.finding(
            f"{kind} is made anew for each {unit}: what it remembers of the gradients is thrown away each time",
            at=event.optimizer.made,
            event=event,
            label=f"the same parameters and the same rate as the {_LEAST_LIVES} times before",
            evidence={"kind": kind, "lives": _LEAST_LIVES, "unit": unit},
            proof_note=f"{_LEAST_LIVES} in a row were made at this line for the same parameters, each of which lived for one {unit}",
            help=f"make it once, before the loop over the {unit}s",
            subjects={event.optimizer.id},
        )


def _may_begin_anew(parameter: Parameter) -> bool:
    return parameter.loaded or parameter.written is not None
