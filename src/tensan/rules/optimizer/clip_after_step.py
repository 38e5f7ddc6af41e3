"""OPT106: gradients are clipped after the step that used them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensan.core.asks import Change, fix
from tensan.core.events.things import Optimizer
from tensan.core.events.training import Clip, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, counted, name_given
from tensan.rules.repairs import moved_before

_LEAST_STEPS = 3
#: A bound this large is never meant to bind: the call only measures the norm.
_MEASURES_ONLY = 1e6


class ClipAfterStep(Rule):
    """
    ## What it does

    Finds calls that clip gradients which the optimizer has already used and which no backward pass has renewed since.

    ## Why is this bad?

    The clipping does nothing: the step has been taken with the full gradient, and the clipped one is cleared before it is
    ever used. One outlying batch can still ruin the weights.

    ## Example

    ```python
    loss.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ```

    ## Use instead

    ```python
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    ```

    ## Known problems

    A bound of infinity, or one so large that it cannot bind, is taken as a way to measure the norm.
    """

    code = "OPT106"
    name = "clip-after-step"
    category = Category.CORRECTNESS
    law = 9
    effect = "wrong-scale"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._optimizers: dict[str, Optimizer] = {}
        self._stepped_at: dict[str, Place] = {}
        self._late: dict[str, Evidence[Clip]] = {}
        self._last_step: dict[str, int] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer
        self._stepped_at[event.optimizer.id] = event.site

    def on_clip(self, event: Clip) -> Iterator[Finding]:
        if not event.optimizers or not event.num_gradients or not math.isfinite(event.limit) or event.limit >= _MEASURES_ONLY:
            return
        self.armed = True
        if not event.after_step:
            for optimizer in event.optimizers:
                self._late.setdefault(optimizer, Evidence(_LEAST_STEPS)).refute()
            return
        optimizer = event.optimizers[0]
        evidence = self._late.setdefault(optimizer, Evidence(_LEAST_STEPS))
        if self._last_step.get(optimizer) == event.step:
            return  # one call for each parameter, as some programs do
        self._last_step[optimizer] = event.step
        for seen in evidence.add(event):
            yield self._finding(seen, optimizer)

    def _finding(self, event: Clip, name: str) -> Finding:
        optimizer = self._optimizers.get(name) or Optimizer(id=name, kind="the optimizer")
        called = name_given(optimizer.made, "optimizer")
        return self.finding(
            f"gradients are clipped to {event.limit:g} after {optimizer.kind} has used them: the clipping has no effect",
            at=event.site,
            event=event,
            label="too late for the step that came before",
            evidence={"limit": event.limit, "gradients": event.num_gradients},
            related=[(f"{optimizer.kind} used the gradients here", self._stepped_at.get(name))],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more no backward ran between the step and the clipping",
            help=f"move this line between `backward()` and `{called}.step()`",
            subjects=event.optimizers,
            repairs=moved_before(event.site, self._stepped_at.get(name)),
            fix=fix(Change.MOVE, "clip"),
        )
