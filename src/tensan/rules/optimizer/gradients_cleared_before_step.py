"""OPT105: what backward computed is cleared before any step has used it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.asks import Change, fix
from tensan.core.events.run import StepEnd
from tensan.core.events.training import Backward, OptimizerBuilt, OptimizerStep, ZeroGrad
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence, OpenSteps, counted, line_of, name_given
from tensan.rules.repairs import moved_before

_LEAST_STEPS = 3


class _Pass(msgspec.Struct):
    """A backward pass, and where what it gave to an optimizer was cleared."""

    number: int
    site: Place
    cleared: Place = None


class _Cycle(msgspec.Struct):
    """What has happened to one optimizer's gradients since its last step."""

    passes: list[_Pass] = msgspec.field(default_factory=list)
    cleared_after_backward: bool = False
    size: int = 0
    emptied: Evidence[OptimizerStep] = msgspec.field(default_factory=lambda: Evidence(_LEAST_STEPS))
    thrown_away: Evidence[tuple[OptimizerStep, Place]] = msgspec.field(default_factory=lambda: Evidence(_LEAST_STEPS))


class GradientsClearedBeforeStep(Rule):
    """
    ## What it does

    Finds calls that clear the gradients after a backward pass has made them and before a step has used them, in each step.

    ## Why is this bad?

    Between `backward()` and `step()`, clearing leaves the optimizer nothing to apply: the parameters never change. Within
    an accumulation, clearing at each micro-batch throws all of them away but the last.

    ## Example

    ```python
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    ```

    ## Use instead

    ```python
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ```

    ## Known problems

    Gradients that are measured and cleared before the real backward pass, at another line, are taken to be meant. So are those
    that a pass for one optimizer leaves in the parameters of another, as in a GAN or where two take turns, and so is a
    program that writes the gradients itself before the step, as training with per-sample gradients does.
    """

    code = "OPT105"
    name = "gradients-cleared-before-step"
    category = Category.CORRECTNESS
    law = 3
    effect = "no-update"
    explains = frozenset({"no-update", "no-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._steps = OpenSteps()
        self._cycles: dict[str, _Cycle] = {}
        self._num_passes = 0

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._cycles.setdefault(event.optimizer.id, _Cycle())

    def on_backward(self, event: Backward) -> None:
        self._steps.backward()
        self._num_passes += 1
        owners = {owner for leaf in event.leaves for owner in leaf.owners}
        for optimizer, cycle in self._cycles.items():
            if optimizer in owners or not event.leaves:
                cycle.passes.append(_Pass(self._num_passes, event.site))
                cycle.cleared_after_backward = False

    def on_zero_grad(self, event: ZeroGrad) -> None:
        cycle = self._cycles.get(event.optimizer or "")
        if cycle is not None and cycle.passes and not cycle.cleared_after_backward:
            cycle.cleared_after_backward = True
            cycle.passes[-1].cleared = event.site

    def on_step_end(self, event: StepEnd) -> None:
        self._steps.end(event.optimizer)

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        optimizer = event.optimizer.id
        self._steps.begin(optimizer)
        cycle = self._cycles.setdefault(optimizer, _Cycle())
        passes, cycle.passes = cycle.passes, []
        if event.with_gradient:
            self._used(passes)
        backwards = [each.site for each in passes]
        discards = [each.cleared for each in passes if each.cleared is not None]
        cleared_last, cycle.cleared_after_backward = cycle.cleared_after_backward, False
        if optimizer in self._steps.closures:
            return
        self.armed = self.armed or bool(backwards)
        if event.cleared is not None and (cleared_last or not event.with_gradient):
            for seen in cycle.emptied.add(event):
                yield self._nothing_left(seen)
            return
        if event.with_gradient:
            cycle.emptied.refute()
        if len(backwards) > 1 and len(discards) == len(backwards) - 1 and event.assigned is False and _repeats(backwards, cycle):
            for seen, cleared in cycle.thrown_away.add((event, discards[-1])):
                yield self._all_but_the_last(seen, cleared, len(backwards))
        elif backwards and not discards:
            cycle.thrown_away.refute()
        else:
            cycle.thrown_away.interrupt()

    def _used(self, passes: list[_Pass]) -> None:
        """An optimizer has stepped on these: for the others, which get gradients from them too, they were not meant."""
        used = {each.number for each in passes}
        for cycle in self._cycles.values():
            cycle.passes = [each for each in cycle.passes if each.number not in used]

    def _nothing_left(self, event: OptimizerStep) -> Finding:
        optimizer = event.optimizer
        called = name_given(optimizer.made, "optimizer")
        return self.finding(
            f"gradients are cleared between backward and step: {optimizer.kind} has nothing to apply",
            at=event.cleared,
            event=event,
            label="throws away what backward has just computed",
            evidence={"parameters": optimizer.num_parameters},
            related=[("the gradients were computed here", event.backward), (f"{optimizer.kind} steps on nothing here", event.site)],
            proof_note=f"in {counted(_LEAST_STEPS, 'step')} or more the gradients that a backward had made were gone when the step came",
            help=f"move this call before `backward()`, or after `{called}.step()`",
            repairs=moved_before(event.cleared, event.backward),
            subjects=[optimizer.id, *(parameter.id for parameter in (*event.with_gradient, *event.without_gradient))],
            fix=fix(Change.CLEAR, optimizer.id),
        )

    def _all_but_the_last(self, event: OptimizerStep, cleared: Place, passes: int) -> Finding:
        optimizer = event.optimizer
        called = name_given(optimizer.made, "optimizer")
        return self.finding(
            f"gradients of {passes - 1} of {passes} backward passes are cleared before {optimizer.kind} steps: only the last one counts",
            at=cleared,
            event=event,
            label="throws away the gradients of the passes before",
            evidence={"backward passes per step": passes},
            related=[("the gradients were computed here", event.backward), (f"{optimizer.kind} steps here", event.site)],
            proof=Proof.STATISTIC,
            proof_note=f"{counted(_LEAST_STEPS, 'step')} or more came after {passes} backward passes at one line, and used the last",
            help=f"clear once per step: call `{called}.zero_grad()` right after `{called}.step()`",
            subjects=[optimizer.id, *(parameter.id for parameter in event.with_gradient)],
            fix=fix(Change.CLEAR, optimizer.id),
        )


def _repeats(backwards: list[Place], cycle: _Cycle) -> bool:
    """Tells whether a step came after several passes of one kind, as many as the step before: accumulation, not a probe."""
    size, cycle.size = cycle.size, len(backwards)
    return len({line_of(place) for place in backwards}) == 1 and backwards[0] is not None and size in (0, len(backwards))
