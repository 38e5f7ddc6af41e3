"""OPT121: a step uses gradients that were left behind by the backward of another optimizer's step."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, name_given

_LEAST_STEPS = 3


class GradientsOfAnotherStep(Rule):
    """
    ## What it does

    Finds optimizers that step on the sum of two things: the gradients of their own loss, and what an earlier backward left in their
    parameters when it was made for another optimizer's step.

    ## Why is this bad?

    In a GAN the generator's loss runs through the discriminator and leaves gradients there, which point the wrong way: they make it take
    fakes for real. Where the discriminator's gradients are cleared right after its step and not right before its backward, half of what
    it learns is undone, and nothing says so.

    ## Example

    ```python
    loss_d.backward()
    optimizer_d.step()
    optimizer_d.zero_grad()          # too early: the next line fills them again

    loss_g.backward()
    optimizer_g.step()
    ```

    ## Use instead

    ```python
    optimizer_d.zero_grad()
    loss_d.backward()
    optimizer_d.step()

    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
    ```

    ## Known problems

    An optimizer that had such gradients in its very first step already passes, and so does one that had none in its second: the program
    may sum the losses on purpose. Backwards at one and the same line are taken for an accumulation.
    """

    code = "OPT121"
    name = "gradients-of-another-step"
    category = Category.CORRECTNESS
    law = 3
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._found: dict[str, Evidence[OptimizerStep]] = {}

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        optimizer = event.optimizer.id
        if not event.with_gradient:
            return
        evidence = self._found.setdefault(optimizer, Evidence(_LEAST_STEPS))
        self.armed = len(self._found) > 1
        if event.left_over is not None:
            for seen in evidence.add(event):
                yield self._finding(seen)

    def _finding(self, event: OptimizerStep) -> Finding:
        optimizer = event.optimizer
        called = name_given(optimizer.made, "optimizer")
        return self.finding(
            f"{optimizer.kind} steps on gradients that were left behind by the backward of another optimizer's step",
            at=event.site,
            event=event,
            label="uses what another loss has left in these parameters too",
            evidence={"parameters": len(event.with_gradient)},
            related=[("this backward left gradients here", event.left_over), ("this one added to them", event.backward)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} and more, but not in the first, another optimizer had stepped on a part of the "
            "gradients already, and nothing cleared them before the next backward",
            help=f"call `{called}.zero_grad()` right before the backward of its own loss",
            subjects=[optimizer.id, *(parameter.id for parameter in event.with_gradient)],
        )
