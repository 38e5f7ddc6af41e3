"""A loss that no longer hangs together with any parameter."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Operation
from tensan.core.events.training import Backward, Loss, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.traces import nearest_cut

_ENOUGH = 2


class LossCutFromParameters(Rule):
    """
    ## What it does
    Finds a loss that is differentiated although no parameter lies behind it: it was wrapped in a new tensor, or what it was computed
    from was detached or rounded and then declared to require gradient again.

    ## Why is this bad?
    `requires_grad=True` silences the error that would tell. Backward runs, the optimizer steps, and nothing is ever learned.

    ## Example
    ```python
    loss = criterion(model(x), y)
    loss = torch.tensor(loss.item(), requires_grad=True)
    loss.backward()
    ```

    ## Use instead
    ```python
    loss = criterion(model(x), y)
    loss.backward()
    ```

    ## Known problems
    Speaks after two backwards of this kind, each followed by an optimizer step without any gradient, and only where no earlier
    backward reached a parameter: a constant loss that stands in for an empty batch passes.
    """

    code = "GRD101"
    name = "loss-cut-from-parameters"
    category = Category.CORRECTNESS
    law = 7
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update", "unowned"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._healthy = False
        self._optimizers = False
        self._cut: Backward | None = None
        self._count = 0
        self._place: tuple[str, Place] | None = None
        self._given_from_outside = False

    def on_optimizer_built(self, built: OptimizerBuilt) -> None:
        self._optimizers = True

    def on_loss(self, loss: Loss) -> None:
        if _reaches_nothing(loss) and self._place is None:
            # A leaf from before the trace is one that the program optimizes or inspects: an image, an input.
            self._given_from_outside = not loss.is_leaf and (not loss.leaf_producers or min(loss.leaf_producers) < 0)
            self._place = _cut_in(loss)

    def on_backward(self, backward: Backward) -> None:
        self.armed = self.armed or (self._optimizers and bool(backward.leaves or backward.is_leaf))
        if _reaches_nothing(backward):
            self._cut = backward
        elif backward.leaves:
            self._healthy, self._cut = True, None

    def on_optimizer_step(self, step: OptimizerStep) -> Iterator[Finding]:
        self._optimizers = True
        cut, self._cut = self._cut, None
        if step.with_gradient:
            self._healthy = True
        if cut is None or self._healthy or self._given_from_outside or not step.without_gradient:
            return
        self._count += 1
        if self._count < _ENOUGH:
            return
        label, place = self._place or ("", None)
        at = place or cut.site
        yield self.finding(
            "the loss is cut off from every parameter, so that training changes nothing",
            at=at,
            event=cut,
            label=label if place is not None else "reaches no parameter",
            evidence={"loss is a leaf": cut.is_leaf, "parameters without gradient": len(step.without_gradient)},
            related=[("differentiated here, in vain", cut.site)] if place is not None else (),
            proof_note=f"backward reached no parameter {self._count} times out of {self._count}, and none of "
            f"{len(step.without_gradient)} parameters has a gradient",
            help="differentiate the loss that was computed from the model's output: no `.item()`, `.detach()`, `.data`, `argmax` "
            "or new tensor in between",
            subjects={"*"},
        )


def _reaches_nothing(event: Loss | Backward) -> bool:
    """Tells whether what is differentiated has leaves but none of them is a parameter or owned by an optimizer."""
    return event.is_leaf or (bool(event.leaves) and not any(leaf.registered or leaf.owners for leaf in event.leaves))


def _cut_in(loss: Loss) -> tuple[str, Place] | None:
    """Finds in the trace what cut the graph, and says it."""
    starts = [loss.value.producer] if loss.is_leaf else [index for index in loss.leaf_producers if index >= 0]
    starts = [index for index in starts if index >= 0]
    found = nearest_cut(loss.operations, starts)
    if found is None:
        found = next((loss.operations[index] for index in starts), None)
    if found is None and loss.is_leaf:
        # A number that went through Python leaves no link: the last one that was read from a value with gradient is meant.
        found = next((op for op in reversed(loss.operations) if op.name == "item" and any(v.requires_grad for v in op.inputs)), None)
    return (_label(found), found.site) if found is not None and found.site is not None else None


def _label(operation: Operation) -> str:
    return {
        "new": "a new tensor, which knows nothing of how its number was computed",
        "item": "a plain number, through which no gradient flows",
        "detach": "detached here",
    }.get(operation.name, f"no gradient flows through `{operation.name}`")
