"""OPT113: an optimizer steps on gradients that still carry the gradient scaler's factor."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import Backward, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, counted, name_given
from tensan.rules.repairs import stepped_by_scaler

_LEAST_STEPS = 3


class StepOnScaledGradients(Rule):
    """
    ## What it does

    Finds optimizers that are stepped by themselves, not through the gradient scaler, on gradients of a scaled loss.

    ## Why is this bad?

    The gradients are 65536 times too large, or whatever the scale is at the moment. SGD takes a step that much too far; Adam
    hides it in part and loses its epsilon and its history at every change of scale. Overflows are not skipped.

    ## Example

    ```python
    scaler.scale(loss).backward()
    optimizer.step()
    ```

    ## Use instead

    ```python
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    ```

    ## Known problems

    Where the program itself has written the gradients since the backward it is taken to have divided them.
    """

    code = "OPT113"
    name = "step-on-scaled-gradients"
    category = Category.CORRECTNESS
    law = 9
    effect = "wrong-scale"
    explains = frozenset({"wrong-scale", "non-finite"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._scaling = False
        self._scaled_at: Place = None
        self._scaled: dict[str, Evidence[OptimizerStep]] = {}

    def on_backward(self, event: Backward) -> None:
        if event.scaled:
            self._scaling, self._scaled_at = True, event.site

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        if not event.with_gradient:
            return
        self.armed = self.armed or self._scaling
        evidence = self._scaled.setdefault(event.optimizer.id, Evidence(_LEAST_STEPS))
        if not event.scaled or event.assigned is not False:
            evidence.interrupt()
            return
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: OptimizerStep) -> Finding:
        optimizer = event.optimizer
        called = name_given(optimizer.made, "optimizer")
        return self.finding(
            f"{optimizer.kind} steps on gradients that are still multiplied by the gradient scaler",
            at=event.site,
            event=event,
            label="the scaler does not hear of this step",
            evidence={"gradients": len(event.with_gradient)},
            related=[("the gradients of the scaled loss were computed here", event.backward or self._scaled_at)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more nothing wrote to the gradients between backward and step",
            help=f"step through the scaler: `scaler.step({called})`, then `scaler.update()`",
            subjects=[optimizer.id],
            repairs=stepped_by_scaler(event.site, event.backward or self._scaled_at),
        )
