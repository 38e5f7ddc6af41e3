"""A gradient scaler that skips every step."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.numerics import NonfiniteOrigin
from tensan.core.events.training import OptimizerStep, ScalerSkips
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.numerics._wording import explained

#: Honest gradients may pass float16's range by some orders even at a scale of 1; not at this one.
_TINY = 2.0**-10


class EveryStepSkipped(Rule):
    """
    ## What it does
    Finds a `GradScaler` that has skipped step after step, although its scale is down to 1 or below, and names the operation that makes
    the gradient NaN or Inf.

    ## Why is this bad?
    The program runs to its end, prints losses and saves checkpoints, and no weight changes. A scaler skips a step when a scaled gradient is
    not finite, and halves its scale: after a few skips it has found one that fits. Where even a scale of 1 does not, it is not the scale
    that overflows: the gradient itself is not finite, and will not be at any scale.

    ## Example
    ```python
    distance = (a[:, None] - a[None]).pow(2).sum(-1).sqrt()     # of each item to itself: sqrt(0) has no slope
    scaler.scale(distance.mean()).backward()
    scaler.step(optimizer)                                      # skipped, each time
    ```

    ## Use instead
    ```python
    distance = ((a[:, None] - a[None]).pow(2).sum(-1) + 1e-8).sqrt()
    ```

    ## Known problems
    A scale that begins at 65536 is down to 1 after 16 skips: shorter runs cannot be told.
    """

    code = "NUM103"
    name = "every-step-skipped"
    category = Category.CORRECTNESS
    law = 9
    effect = "no-update"
    explains = frozenset({"no-update", "non-finite"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._origin: NonfiniteOrigin | None = None
        self._told: set[str] = set()

    def on_optimizer_step(self, step: OptimizerStep) -> None:
        self.armed = self.armed or step.through == "scaler"

    def on_nonfinite_origin(self, origin: NonfiniteOrigin) -> None:
        self._origin = origin

    def on_scaler_skips(self, skips: ScalerSkips) -> Iterator[Finding]:
        self.armed = True
        origin = self._origin if self._origin is not None and self._origin.step == skips.step else None
        if skips.optimizer in self._told or not (skips.scale <= _TINY or (skips.scale <= 1 and _is_no_overflow(origin))):
            return
        self._told.add(skips.optimizer)
        yield self._not_the_scale(skips, origin)

    def _not_the_scale(self, skips: ScalerSkips, origin: NonfiniteOrigin | None) -> Finding:
        told = explained(origin) if origin is not None else None
        at, label, help = skips.site, f"skipped {skips.skips} times in a row", "find what makes the loss or its gradient NaN or Inf"
        related = []
        if told is not None and told.at is not None:
            at, label, help = told.at, told.label, told.help
            related = [*told.related, ("skipped here", skips.site)]
        return self.finding(
            f"the gradient scaler skips every step, though its scale is down to {skips.scale:.3g}: the gradient itself is not finite",
            at=at,
            event=skips,
            label=label,
            evidence={"skips": skips.skips, "scale": skips.scale, "steps": skips.steps} | (dict(told.evidence) if told else {}),
            related=related,
            proof_note=f"{skips.skips} steps in a row were skipped; at a scale of 1 or less scaling cannot be what overflows"
            + (f"; {told.proof}" if told is not None else ""),
            help=help,
            subjects={skips.optimizer, "*"},
        )


def _is_no_overflow(origin: NonfiniteOrigin | None) -> bool:
    """Tells whether what makes it works in a type of wide range, so that no smaller scale would help."""
    return origin is not None and bool(origin.operands) and all(operand.dtype != "float16" for operand in origin.operands)
