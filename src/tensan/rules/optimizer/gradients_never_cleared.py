"""OPT104: gradients pile up over steps because nothing clears them."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.run import StepEnd
from tensan.core.events.training import Backward, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, OpenSteps, counted, name_given
from tensan.rules.repairs import cleared_before

_LEAST_STEPS = 3


class GradientsNeverCleared(Rule):
    """
    ## What it does

    Finds optimizers whose gradients still hold, in step after step, what the steps before have already used.

    ## Why is this bad?

    `backward()` adds to the gradients that are there. Without clearing, each step follows the sum of all gradients since
    the start: it grows, it points backwards in time, and training becomes slow or diverges.

    ## Example

    ```python
    for x, y in loader:
        criterion(model(x), y).backward()
        optimizer.step()
    ```

    ## Use instead

    ```python
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
    ```

    ## Known problems

    Accumulation over several backward passes before one step is right and is not told. Gradients may be cleared by any
    means, by hand too.
    """

    code = "OPT104"
    name = "gradients-never-cleared"
    category = Category.CORRECTNESS
    law = 3
    effect = "wrong-gradient"
    explains = frozenset({"wrong-scale"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._steps = OpenSteps()
        self._carried: dict[str, Evidence[OptimizerStep]] = {}
        self._seen: dict[str, int] = {}
        self._last: dict[str, OptimizerStep] = {}
        self._in_closure: dict[str, Evidence[tuple[OptimizerStep, StepEnd]]] = {}

    def on_backward(self, event: Backward) -> None:
        self._steps.backward()

    def on_step_end(self, event: StepEnd) -> Iterator[Finding]:
        self._steps.end(event.optimizer)
        step = self._last.get(event.optimizer)
        if event.optimizer not in self._steps.closures or step is None:
            return
        self.armed = True
        evidence = self._in_closure.setdefault(event.optimizer, Evidence(_LEAST_STEPS))
        if not event.carried:
            evidence.interrupt()
            return
        for seen in evidence.add((step, event)):
            yield self._finding(seen[0], backward=seen[1].backward)

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        optimizer = event.optimizer.id
        self._steps.begin(optimizer)
        self._last[optimizer] = event
        if not event.with_gradient or optimizer in self._steps.closures or self._steps.within(optimizer):
            return
        evidence = self._carried.setdefault(optimizer, Evidence(_LEAST_STEPS))
        self._seen[optimizer] = self._seen.get(optimizer, 0) + 1
        self.armed = self.armed or self._seen[optimizer] > 1
        if not event.carried or event.fresh is False:
            evidence.interrupt()  # the first step has nothing to carry, and one cleared step breaks the chain
            return
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: OptimizerStep, *, backward: Place = None) -> Finding:
        optimizer = event.optimizer
        called = name_given(optimizer.made, "optimizer")
        at = next((place for place in (backward, event.backward) if place is not None), event.site)
        return self.finding(
            f"gradients are never cleared: {optimizer.kind} steps on the sum of all gradients so far",
            at=at,
            event=event,
            label="adds to the gradients of the steps before",
            evidence={"parameters": len(event.with_gradient), "steps seen": self._seen.get(optimizer.id, 0)},
            related=[(f"{optimizer.kind} steps here", event.site if at is not event.site else optimizer.made)],
            proof_note=f"in at least {counted(_LEAST_STEPS, 'step')} on end the gradients still held what the step before had used",
            help=f"call `{called}.zero_grad()` once per step, before `backward()`",
            subjects=[optimizer.id, *(parameter.id for parameter in event.with_gradient)],
            repairs=cleared_before(at, event.site) if at is not event.site else (),
            fix=fix(Change.CLEAR, optimizer.id),
        )
