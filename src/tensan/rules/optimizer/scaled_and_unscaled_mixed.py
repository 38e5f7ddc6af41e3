"""OPT114: gradients of a scaled loss and of one that is not are added up."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.training import Backward
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, counted, line_of

_LEAST_STEPS = 3


class ScaledAndUnscaledMixed(Rule):
    """
    ## What it does

    Finds steps whose gradients come from several backward passes, some of a loss that the gradient scaler has scaled, some not.

    ## Why is this bad?

    The scaler divides all of them by its scale. What was not multiplied before becomes 65536 times too small: that loss has
    no effect.

    ## Example

    ```python
    scaler.scale(main_loss).backward()
    aux_loss.backward()
    scaler.step(optimizer)
    ```

    ## Use instead

    ```python
    scaler.scale(main_loss + aux_loss).backward()
    scaler.step(optimizer)
    ```

    ## Known problems

    A backward that follows `scaler.unscale_(optimizer)` rightly takes no scale and is not told.
    """

    code = "OPT114"
    name = "scaled-and-unscaled-mixed"
    category = Category.CORRECTNESS
    law = 9
    effect = "wrong-scale"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._mixed: dict[object, Evidence[Backward]] = {}

    def on_backward(self, event: Backward) -> Iterator[Finding]:
        self.armed = self.armed or event.scaled
        if event.mixed_with is None:
            return
        evidence = self._mixed.setdefault(line_of(event.site), Evidence(_LEAST_STEPS))
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: Backward) -> Finding:
        at, other = (event.mixed_with, event.site) if event.scaled else (event.site, event.mixed_with)
        return self.finding(
            "this backward takes a loss that is not scaled and adds its gradients to those of a scaled one",
            at=at,
            event=event,
            label="the scaler's division makes its gradients vanish",
            related=[("the scaled loss was differentiated here", other)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more both reached the same parameters, with no `unscale_` between",
            help="scale it as well: `scaler.scale(loss).backward()`",
            subjects=[leaf.id for leaf in event.leaves[:50]],
        )
