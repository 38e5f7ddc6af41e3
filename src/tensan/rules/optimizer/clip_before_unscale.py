"""OPT107: gradients are clipped while they still carry the gradient scaler's factor."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Optimizer
from tensan.core.events.training import Backward, Clip, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, counted, name_given
from tensan.rules.repairs import unscaled_before

_LEAST_STEPS = 3
#: Bounds of gradients are of the order of one. A far larger one has been multiplied by the scale, or only measures.
_LARGE = 100.0


class ClipBeforeUnscale(Rule):
    """
    ## What it does

    Finds calls that clip gradients of a scaled loss before `scaler.unscale_(optimizer)` has divided them again.

    ## Why is this bad?

    The gradients are thousands of times too large at that moment, so that each of them is cut down to the bound, and the
    later division makes the step thousands of times too small. Training seems to run and hardly moves.

    ## Example

    ```python
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    ```

    ## Use instead

    ```python
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    ```

    ## Known problems

    A bound of 100 or more is taken to have been multiplied by the scale, which comes to the same as unscaling.
    """

    code = "OPT107"
    name = "clip-before-unscale"
    category = Category.CORRECTNESS
    law = 9
    effect = "wrong-scale"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._optimizers: dict[str, Optimizer] = {}
        self._scaling = False
        self._scaled_at: Place = None
        self._scaled: dict[tuple[str, ...], Evidence[Clip]] = {}
        self._last_step: dict[tuple[str, ...], int] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer

    def on_backward(self, event: Backward) -> None:
        if event.scaled:
            self._scaling = True
            self._scaled_at = event.site

    def on_clip(self, event: Clip) -> Iterator[Finding]:
        if not 0 < event.limit < _LARGE or not event.num_gradients:
            return
        self.armed = self.armed or self._scaling or event.scaled
        evidence = self._scaled.setdefault(event.optimizers, Evidence(_LEAST_STEPS))
        if not event.scaled:
            evidence.refute()
            return
        if self._last_step.get(event.optimizers) == event.step:
            return  # one call for each parameter
        self._last_step[event.optimizers] = event.step
        for seen in evidence.add(event):
            yield self._finding(seen)

    def _finding(self, event: Clip) -> Finding:
        optimizer = self._optimizers.get(event.optimizers[0]) if event.optimizers else None
        called = name_given(optimizer.made, "optimizer") if optimizer is not None else "optimizer"
        return self.finding(
            f"gradients are clipped to {event.limit:g} while they are still multiplied by the gradient scaler",
            at=event.site,
            event=event,
            label="cuts the scaled gradients, which are far larger than the real ones",
            evidence={"limit": event.limit, "gradients": event.num_gradients},
            related=[("the gradients of the scaled loss were computed here", self._scaled_at)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more the scaler had not unscaled the gradients when they were clipped",
            help=f"call `scaler.unscale_({called})` before this line",
            subjects=event.optimizers,
            repairs=unscaled_before(event.site, self._scaled_at),
        )
