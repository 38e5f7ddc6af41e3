"""OPT103: a parameter has a gradient, its optimizer steps, and it stays what it was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from tensan.core.events.base import Event
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Optimizer, Parameter
from tensan.core.events.training import Measured, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.stats import Of, Reduction, Stat
from tensan.rules.optimizer._shared import counted, listed, name_given

_UPDATE = Stat(Reduction.NORM, Of.UPDATE)
_GRADIENT = Stat(Reduction.NORM, Of.GRADIENT)

#: Steps that must have changed nothing: few where the same steps did change most of the others, more where they did not,
#: since an optimizer may gather gradients over several steps before it applies them.
_FEW_STEPS, _MANY_STEPS = 3, 8
_HALF = frozenset({"bfloat16", "float16"})
#: Below this a gradient in single precision is so small that no ordinary rate could move anything: another fault, or none.
_FELT = 1e-5


class _Measurements(msgspec.Struct):
    """What the steps of one optimizer did to its parameters."""

    halves: dict[Stat, Measured] = msgspec.field(default_factory=dict)
    parameters: dict[str, Parameter] = msgspec.field(default_factory=dict)
    still: dict[str, int] = msgspec.field(default_factory=dict)
    changed: set[str] = msgspec.field(default_factory=set)
    steps: int = 0
    zero_rates: set[int] | None = None
    num_rates: int = 0
    last: Measured | None = None
    told: bool = False

    def stuck(self, steps: int) -> list[Parameter]:
        """Returns the parameters that at least so many steps have left alone although they had a gradient, and none has changed."""
        return [self.parameters[name] for name, count in self.still.items() if count >= steps and name not in self.changed]

    def see_rates(self, rates: Sequence[float]) -> None:
        """Keeps the groups whose rate has been zero in every step so far."""
        zero = {index for index, rate in enumerate(rates) if rate == 0}
        self.zero_rates = zero if self.zero_rates is None else self.zero_rates & zero
        self.num_rates = len(rates)


class ParameterUnchangedByStep(Rule):
    """
    ## What it does

    Finds parameters that have a gradient and are owned by an optimizer, and that its steps nevertheless leave bit for bit
    as they were.

    ## Why is this bad?

    They do not learn. Either the learning rate that reaches them is zero for the whole run, or each update is smaller than
    the spacing of the numbers that the parameter is stored in, so that it is rounded away: in bfloat16 the next number
    after 1 is 1.0078.

    ## Example

    ```python
    groups = [{"params": block.parameters(), "lr": base * (depth // layers)} for depth, block in enumerate(blocks)]
    ```

    ## Use instead

    ```python
    groups = [{"params": block.parameters(), "lr": base * (depth / layers)} for depth, block in enumerate(blocks)]
    ```

    ## Known problems

    A group whose rate is zero on purpose looks the same: freeze its parameters with `requires_grad_(False)`, which also
    saves their gradients. That a rate is zero is told at the end of the run, since a plan may raise it later.
    """

    code = "OPT103"
    name = "parameter-unchanged-by-step"
    category = Category.CORRECTNESS
    law = 1
    needs = (_UPDATE, _GRADIENT)
    effect = "no-update"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._optimizers: dict[str, Optimizer] = {}
        self._measured: dict[str, _Measurements] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_measured(self, event: Measured) -> Iterator[Finding]:
        if event.optimizer is None or event.stat not in self.needs:
            return
        known = self._measured.setdefault(event.optimizer, _Measurements())
        known.halves[event.stat] = event
        known.parameters.update(event.parameters)
        update, gradient = known.halves.get(_UPDATE), known.halves.get(_GRADIENT)
        if update is None or gradient is None or update.step != gradient.step:
            return
        known.halves = {}
        self._take(known, update.values, gradient.values, gradient.rates or update.rates, event)
        yield from self._rounded_away(event.optimizer, known, event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        final = {optimizer.id: optimizer.rates for optimizer in event.optimizers if optimizer.rates}
        for name, known in self._measured.items():
            if known.told or known.last is None or known.steps < _MANY_STEPS:
                continue
            if name in final:
                known.see_rates(final[name])
            elif 2 * known.last.step < event.step:
                continue  # the optimizer is gone, and what rate it had in the second half of the run is not known
            stuck = known.stuck(_MANY_STEPS)
            if known.zero_rates and stuck:
                yield self._finding(name, known, stuck, known.last, zero=True)

    def _take(
        self, known: _Measurements, updates: Mapping[str, float], gradients: Mapping[str, float], rates: Sequence[float], event: Measured
    ) -> None:
        known.steps += 1
        known.last = event
        if rates:
            known.see_rates(rates)
        for name, update in updates.items():
            parameter = known.parameters.get(name)
            gradient = gradients.get(name, 0.0)
            if parameter is None or not math.isfinite(gradient):
                continue
            if update != 0:
                known.changed.add(name)
            elif gradient > (0 if parameter.dtype in _HALF else _FELT):
                known.still[name] = known.still.get(name, 0) + 1
                self.armed = True
            self.armed = self.armed or gradient > 0

    def _rounded_away(self, name: str, known: _Measurements, event: Measured) -> Iterator[Finding]:
        if known.zero_rates or known.zero_rates is None:
            return  # judged at the end: a rate of zero may be part of a plan
        stuck = known.stuck(_FEW_STEPS)
        most = 2 * len(stuck) >= len(stuck) + len(known.changed)
        if not most:
            stuck = [parameter for parameter in known.stuck(_MANY_STEPS) if parameter.dtype in _HALF]
        elif not known.changed:
            stuck = known.stuck(_MANY_STEPS)
        if stuck:
            known.told = True
            yield self._finding(name, known, stuck, event, zero=False, proof=Proof.LAW if most else Proof.STATISTIC)

    def _finding(
        self, name: str, known: _Measurements, stuck: Sequence[Parameter], event: Event, *, zero: bool, proof: Proof = Proof.LAW
    ) -> Finding:
        optimizer = self._optimizers.get(name) or Optimizer(id=name, kind="the optimizer")
        called = name_given(optimizer.made, "optimizer")
        zeros = len(known.zero_rates or ())
        names = listed(parameter.name for parameter in stuck)
        stays = "stays" if len(stuck) == 1 else "stay"
        dtype = stuck[0].dtype
        fewest = min(known.still[parameter.id] for parameter in stuck)
        if not zero:
            why = f"each update is rounded away in {dtype}"
            help = (
                f"keep the parameters in float32 and compute in {dtype} under autocast, or raise the learning rate of `{called}`"
                if dtype in _HALF
                else f"raise the learning rate of `{called}`, or scale the parameter so that an update is larger than its rounding"
            )
        elif zeros == known.num_rates:
            why = "its learning rate is 0"
            help = f"give `{called}` a learning rate above 0: look for a schedule that starts at 0, or for an integer division"
        else:
            why = f"the learning rate of {zeros} of its {known.num_rates} groups is 0"
            help = f"give each group of `{called}` a rate above 0, or freeze what is meant to stay with `requires_grad_(False)`"
        return self.finding(
            f"{names} {stays} as before in every step of {optimizer.kind}: {why}",
            at=optimizer.made if optimizer.made is not None else stuck[0].made,
            event=event,
            label="changes nothing there",
            evidence={
                "parameters": [str(parameter) for parameter in stuck[:4]],
                "how many": len(stuck),
                "steps measured": known.steps,
                "groups at rate 0": zeros,
            },
            related=[(f"`{stuck[0].name}` was made here", stuck[0].made)],
            proof=proof,
            proof_note=f"{counted(fewest, 'step')} with a non-zero gradient left {names} as before where the gradient was largest",
            help=help,
            subjects=[name, *(parameter.id for parameter in stuck)],
        )
