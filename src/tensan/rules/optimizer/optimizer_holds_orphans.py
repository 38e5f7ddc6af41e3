"""OPT102: an optimizer steps parameters that nothing trains."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.asks import Change, fix
from tensan.core.events.run import StepEnd
from tensan.core.events.things import Parameter
from tensan.core.events.training import Backward, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, OpenSteps, counted, listed, name_given


class _Holding(msgspec.Struct):
    """What is known of one optimizer; `reached` is what backward reached instead of its parameters since its last step."""

    reached: tuple[Parameter, ...] = ()
    steps: int = 0
    evidence: Evidence[OptimizerStep] = msgspec.field(default_factory=lambda: Evidence(3))


class OptimizerHoldsOrphans(Rule):
    """
    ## What it does

    Finds optimizers none of whose parameters ever gets a gradient, while backward passes reach parameters that no optimizer
    owns.

    ## Why is this bad?

    The optimizer was built from one set of parameters, and another one is trained: the model was copied, loaded with
    `assign=True`, wrapped or made anew after the optimizer was built, or what the optimizer holds is frozen. Each step does
    nothing, and no error says so.

    ## Example

    ```python
    optimizer = torch.optim.Adam(model.parameters())
    model = copy.deepcopy(model)
    ```

    ## Use instead

    ```python
    model = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters())
    ```

    ## Known problems

    Silent where another optimizer owns all that backward reaches, since an optimizer may rest while its part is not used.
    """

    code = "OPT102"
    name = "optimizer-holds-orphans"
    category = Category.CORRECTNESS
    law = 2
    effect = "no-update"
    explains = frozenset({"no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._holdings: dict[str, _Holding] = {}
        self._steps = OpenSteps()

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._holdings.setdefault(event.optimizer.id, _Holding())

    def on_backward(self, event: Backward) -> None:
        self._steps.backward()
        owners = {owner for leaf in event.leaves for owner in leaf.owners}
        unowned = tuple(leaf for leaf in event.leaves if not leaf.owners and not leaf.changed)
        for optimizer, holding in self._holdings.items():
            if optimizer in owners:
                holding.evidence.refute()
            else:
                holding.reached = unowned or holding.reached

    def on_step_end(self, event: StepEnd) -> None:
        self._steps.end(event.optimizer)

    def on_optimizer_step(self, event: OptimizerStep) -> Iterator[Finding]:
        optimizer = event.optimizer
        self._steps.begin(optimizer.id)
        holding = self._holdings.setdefault(optimizer.id, _Holding())
        reached, holding.reached = holding.reached, ()
        holding.steps += 1
        if event.with_gradient or optimizer.id in self._steps.closures:
            holding.evidence.refute()
            self.armed = self.armed or holding.steps >= 3
        elif reached and event.cleared is None and optimizer.num_parameters:
            for seen in holding.evidence.add(event):
                self.armed = True
                yield self._finding(seen, reached, holding.steps)

    def _finding(self, event: OptimizerStep, reached: tuple[Parameter, ...], steps: int) -> Finding:
        optimizer = event.optimizer
        frozen = not event.without_gradient
        held = counted(optimizer.num_parameters, "parameter")
        called = name_given(optimizer.made, "optimizer")
        names = listed(leaf.name for leaf in reached)
        what = "are all frozen" if frozen else "never get a gradient"
        return self.finding(
            f"{optimizer.kind} trains nothing: its {held} {what}, and backward reaches {names} that it does not hold",
            at=optimizer.made,
            event=event,
            label="built from parameters that are not the ones in use",
            evidence={
                "held": [str(parameter) for parameter in event.without_gradient[:3]],
                "reached": [str(parameter) for parameter in reached[:3]],
                "frozen": frozen,
            },
            related=[(f"`{reached[0].name}`, which gets the gradient, was made here", reached[0].made)],
            proof_note=f"in {counted(steps, 'step')} none of its {held} had a gradient, and backward reached parameters that nobody owns",
            help=(
                f"give `{called}` the parameters that are meant to be trained, or unfreeze the ones it has"
                if frozen
                else f"build `{called}` after the model has been copied, loaded, wrapped or made anew, from the model that is trained"
            ),
            subjects=[optimizer.id, *(parameter.id for parameter in event.without_gradient), *(leaf.id for leaf in reached)],
            fix=fix(Change.ADD, optimizer.id, parameters=tuple(leaf.id for leaf in reached)),
        )
