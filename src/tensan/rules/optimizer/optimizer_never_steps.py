"""OPT130: an optimizer was made, its parameters get gradient, and it is never asked to step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.things import Optimizer
from tensan.core.events.training import Backward, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Location, Place, resolved
from tensan.core.trees import location, tree_of, walk
from tensan.rules.optimizer._shared import counted, name_given

_LEAST_BACKWARDS = 8


class OptimizerNeverSteps(Rule):
    """
    ## What it does

    Finds optimizers whose parameters got gradients in backward after backward, and that were never asked to step in a run that
    came to its end.

    ## Why is this bad?

    Gradients are computed and thrown away: these parameters keep their initial values. Where another optimizer trains the rest,
    the loss falls all the same.

    ## Example

    ```python
    encoder_optimizer = torch.optim.Adam(encoder.parameters())
    decoder_optimizer = torch.optim.Adam(decoder.parameters())
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        loss.backward()
        decoder_optimizer.step()
    ```

    ## Use instead

    ```python
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
    ```

    ## Known problems

    Silent where another optimizer that steps owns the parameters as well, where the program moves them by hand, and where they came
    from a checkpoint, since scripts that only look at gradients load both. Accumulation over more passes than the run has is told.
    """

    code = "OPT130"
    name = "optimizer-never-steps"
    category = Category.CORRECTNESS
    law = 1
    effect = "no-update"
    explains = frozenset({"no-update", "wrong-gradient"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._backward: dict[str, Backward] = {}
        self._shared: dict[str, set[str]] = {}
        self._loaded: set[str] = set()
        self._stepped: dict[str, Place] = {}
        self._parameters: dict[str, set[str]] = {}

    def on_backward(self, event: Backward) -> None:
        for leaf in event.leaves:
            for owner in leaf.owners:
                self._backward[owner] = event
                self._parameters.setdefault(owner, set()).add(leaf.id)
                self._shared.setdefault(owner, set()).update(leaf.owners)
                if leaf.loaded:
                    self._loaded.add(owner)

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._stepped[event.optimizer.id] = event.site

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        self.armed = bool(self._backward)
        for optimizer in event.optimizers:
            if optimizer.waited < _LEAST_BACKWARDS or optimizer.id not in self._backward:
                continue
            if optimizer.id in self._loaded or self._shared[optimizer.id] & self._stepped.keys():
                continue
            yield self._finding(optimizer, event)

    def _finding(self, optimizer: Optimizer, event: RunEnd) -> Finding:
        called = name_given(optimizer.made, "optimizer")
        backward = self._backward[optimizer.id].site
        held = counted(optimizer.num_parameters, "parameter")
        other = next(iter(self._stepped.values()), None)
        condition = _condition_of_step(backward, called)
        at = condition or optimizer.made or backward
        return self.finding(
            f"{optimizer.kind} is never asked to step: its {held} get gradients and stay as they were",
            at=at,
            event=event,
            label="never steps" if condition is None else f"`{called}.step()` waits for this, which never came",
            evidence={"backward passes seen": optimizer.waited, "steps": 0},
            related=[
                (f"the {optimizer.kind} was built here", optimizer.made if condition is not None else None),
                ("gradients are computed here", backward if at is not backward else None),
                ("another optimizer steps here", other),
            ],
            proof_note=(
                f"the run completed, {optimizer.waited} backward passes or more reached its parameters, "
                "nobody called its `step`, and nothing else wrote to them"
            ),
            help=f"call `{called}.step()` after `backward()`" if condition is None else "see why the condition is never true",
            subjects=[optimizer.id, *self._parameters[optimizer.id]],
        )


def _condition_of_step(backward: Place, called: str) -> Location | None:
    """Returns the condition, in the function that differentiates, behind which the optimizer would step; None where there is none."""
    place = resolved(backward)
    tree = tree_of(place.path) if place is not None else None
    if place is None or tree is None:
        return None
    around = [node for node in walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _spans(node, place.line)]
    scope = max(around, key=lambda node: node.lineno, default=tree)
    steps = [node for node in walk(scope) if isinstance(node, ast.Call) and _steps(node, called)]
    behind = [node for node in walk(scope) if isinstance(node, ast.If) for inner in node.body if steps and steps[0] in walk(inner)]
    return location(place.path, behind[-1].test, place.function) if len(steps) == 1 and behind else None


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _steps(call: ast.Call, called: str) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "step" and ast.unparse(call.func.value) == called
