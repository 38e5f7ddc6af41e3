"""OPT108: one gradient is applied twice."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.run import StepEnd
from tensan.core.events.things import Optimizer
from tensan.core.events.training import Backward, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, OpenSteps, counted, line_of, name_given

_LEAST_CYCLES = 3


class TwoStepsOnOneGradient(Rule):
    """
    ## What it does

    Finds optimizer steps that apply a gradient which a step has just applied, with no backward pass in between.

    ## Why is this bad?

    The second step goes on in a direction that was computed for other weights. The learning rate is in effect doubled, and
    momentum and the moments of Adam are fed the same gradient twice.

    ## Example

    ```python
    loss.backward()
    optimizer.step()
    optimizer.step()
    ```

    ## Use instead

    ```python
    loss.backward()
    optimizer.step()
    ```

    ## Known problems

    Two optimizers that both hold a parameter and are stepped after one backward pass may be meant: that is a warning. An
    optimizer that another one steps from inside, as Lookahead does, and closures are not told.
    """

    code = "OPT108"
    name = "two-steps-on-one-gradient"
    category = Category.CORRECTNESS
    law = 3
    effect = "wrong-scale"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._steps = OpenSteps()
        self._optimizers: dict[str, Optimizer] = {}
        self._fresh: dict[str, bool] = {}
        self._again: dict[tuple[str, tuple[str, int] | None], Evidence[OptimizerStep]] = {}
        self._shared: dict[tuple[str, str], Evidence[tuple[OptimizerStep, Place]]] = {}
        self._wrapped: set[str] = set()
        self._last_at: dict[str, Place] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_backward(self, event: Backward) -> None:
        self._steps.backward()

    def on_step_end(self, event: StepEnd) -> None:
        self._steps.end(event.optimizer)

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        name = event.optimizer.id
        self._optimizers[name] = event.optimizer
        self._steps.begin(name)
        if self._steps.within(name):
            self._wrapped.add(name)
        if name in self._steps.closures or name in self._wrapped or not event.with_gradient:
            return
        was_fresh = self._fresh.get(name, False)
        self._fresh[name] = event.fresh is not False
        self.armed = self.armed or event.fresh is not None
        if event.fresh is False:
            yield from self._once_more(event, was_fresh)
        elif event.shared_with is not None and event.shared_with not in self._wrapped and event.shared_with not in self._steps.closures:
            evidence = self._shared.setdefault((event.shared_with, name), Evidence(_LEAST_CYCLES))
            for seen, before in evidence.add((event, self._last_at.get(event.shared_with))):
                yield self._both(seen, before)
        self._last_at[name] = event.site

    def _once_more(self, event: OptimizerStep, was_fresh: bool) -> Iterator[Finding]:
        evidence = self._again.setdefault((event.optimizer.id, line_of(event.site)), Evidence(_LEAST_CYCLES))
        if was_fresh:  # a step after a new gradient, then one more: steps on old gradients alone, as when a schedule is drawn, are no cycle
            for seen in evidence.add(event):
                yield self._twice(seen)

    def _twice(self, event: OptimizerStep) -> Finding:
        optimizer = event.optimizer
        return self.finding(
            f"{optimizer.kind} steps twice on one gradient",
            at=event.site,
            event=event,
            label="applies the gradient that the step before has applied",
            evidence={"parameters": len(event.with_gradient)},
            related=[("the same gradient was applied here", event.previous), ("it was computed here", event.backward)],
            proof_note=f"in {counted(_LEAST_CYCLES, 'cycle')} or more no gradient had changed since {optimizer.kind} stepped before",
            help=f"take out this call of `{name_given(optimizer.made, 'optimizer')}.step()`, or compute the loss again before it",
            subjects=[optimizer.id, *(parameter.id for parameter in event.with_gradient)],
            fix=fix(Change.DROP, "step"),
        )

    def _both(self, event: OptimizerStep, before: Place) -> Finding:
        optimizer = event.optimizer
        other = self._optimizers.get(event.shared_with or "") or Optimizer(id="", kind="another optimizer")
        return self.finding(
            f"{other.kind} and {optimizer.kind} step on the same gradients: parameters that both hold are changed twice",
            at=event.site,
            event=event,
            label="applies gradients that have just been applied",
            evidence={"parameters with gradient": len(event.with_gradient)},
            related=[("the same gradients were applied here", before), ("the second optimizer was built here", optimizer.made)],
            proof=Proof.STATISTIC,
            proof_note=f"in {counted(_LEAST_CYCLES, 'cycle')} or more no backward ran between the two steps, which share parameters",
            help=f"give each parameter to one optimizer: a group with a rate of its own in `{name_given(other.made, 'optimizer')}` does it",
            subjects=[optimizer.id, *([event.shared_with] if event.shared_with else ())],
        )
