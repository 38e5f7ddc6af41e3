"""Parameters that take part in the forward and never receive gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import msgspec

from tensan.core.asks import Change, fix
from tensan.core.events.evaluation import Evaluation
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Operation, Parameter, Shape
from tensan.core.events.training import Backward, Loss, OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT, LOSS, ancestors, behind_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.core.trees import tree_of, walk
from tensan.rules.traces import cuts, downstream, line_of

_ENOUGH = 3
#: Where the final value of a parameter is not known, it must have been without gradient after this part of the run, inverted.
_LATE = 2
_CUTTING_NAMES = frozenset({"detach", "data", "item", "numpy", "tolist"})


class _Cut(msgspec.Struct, kw_only=True):
    """One place that cuts, and the parameters behind it."""

    place: Place
    label: str
    parameters: list[Parameter]


class _Given(msgspec.Struct, frozen=True):
    """What the layers of one loss were given from outside and without gradient, by the places that say that they cut."""

    step: int
    line: object
    places: tuple[tuple[Shape, Place], ...]


class ParametersCutFromLoss(Rule):
    """
    ## What it does
    Finds parameters that an optimizer holds and the forward uses, and that got no gradient in the whole run because the forward
    ran under `no_grad`, its result was detached, or the loss that was computed from it never reached a backward.

    ## Why is this bad?
    A part of the model stays as it was initialised. The rest learns around it, so the loss falls and nothing looks wrong.

    ## Example
    ```python
    optimizer = Adam(model.parameters())
    def forward(self, x):
        with torch.no_grad():
            h = self.backbone(x)
        return self.head(h)
    ```

    ## Use instead
    ```python
    def forward(self, x):
        return self.head(self.backbone(x))
    ```
    or, where the backbone is meant to stay as it is, say so: `backbone.requires_grad_(False)` and an optimizer of the rest.

    ## Known problems
    Parameters that came from a checkpoint, or that the program changes by itself (a codebook kept as a moving average), are taken
    for frozen on purpose and pass. So do outputs that are computed and never used. A run in which only the first steps were looked
    at and whose model is gone at its end passes too: a warm-up of the rest looks the same.
    """

    code = "GRD102"
    name = "parameters-cut-from-loss"
    category = Category.SUSPICIOUS
    law = 2
    effect = "no-gradient"
    explains = frozenset({"no-gradient", "no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._cuts: dict[str, tuple[str, Place]] = {}
        self._found: dict[str, tuple[object, Shape]] = {}
        self._given: _Given | None = None
        self._alive: set[str] = set()
        self._without: dict[str, int] = {}
        self._last: dict[str, Parameter] = {}
        self._last_step: dict[str, int] = {}
        self._event: Backward | None = None
        self._without_graph: dict[str, tuple[Place, set[int]]] = {}

    def on_evaluation(self, evaluation: Evaluation) -> None:
        self._without_graph.setdefault(evaluation.module, (evaluation.site, set()))[1].add(evaluation.step)

    def on_loss(self, loss: Loss) -> None:
        used: dict[str, list[int]] = {}
        for operation in loss.operations:
            for value in operation.inputs:
                if value.subject is not None and value.subject.startswith("parameter") and value.requires_grad:
                    used.setdefault(value.subject, []).append(operation.index)
        alive = self._alive.union(leaf.id for leaf in loss.leaves if leaf.registered or leaf.owners)
        dead = [parameter for parameter in used if parameter not in alive and parameter not in self._cuts]
        if dead and loss.value.producer >= 0:
            before_loss = frozenset(ancestors(loss.operations, [loss.value.producer]))
            for parameter in dead:
                found = _cut_behind(loss, used[parameter], before_loss)
                if found is not None:
                    label, cutting = found
                    self._cuts[parameter] = label, cutting.site
                    if cutting.name == "detach" and cutting.outputs:
                        self._found[parameter] = line_of(loss.site), cutting.outputs[0].shape
        self._given = _given_to(loss)

    def on_backward(self, backward: Backward) -> None:
        self._event = self._event or backward
        self._alive.update(leaf.id for leaf in backward.leaves if leaf.registered or leaf.owners)

    def on_optimizer_step(self, step: OptimizerStep) -> None:
        self._alive.update(parameter.id for parameter in step.with_gradient)
        self.armed = self.armed or bool(step.with_gradient)
        for parameter in step.without_gradient:
            self._without[parameter.id] = self._without.get(parameter.id, 0) + 1
            self._last[parameter.id] = parameter
            self._last_step[parameter.id] = step.step
            self._look_nearer(parameter.id, step)

    def _look_nearer(self, parameter: str, step: OptimizerStep) -> None:
        """Where the loss before its own optimizer's step takes what was cut as well, that cut is the guilty one: the other may be meant."""
        line, shape = self._found.get(parameter, (None, ()))
        given = self._given
        if line is None or given is None or given.step != step.step or given.line == line:
            return
        place = next((place for other, place in given.places if other == shape), None)
        if place is not None:
            self._cuts[parameter] = "the loss before this optimizer's own step is given it without its graph here", place
            del self._found[parameter]

    def on_run_end(self, end: RunEnd) -> Iterator[Finding]:
        if end.status not in ("completed", "stopped") or not self._alive:
            return  # where nothing at all gets gradient, it is the loss that is cut
        grouped: dict[object, _Cut] = {}
        final = {parameter.id: parameter.changed for parameter in end.parameters}
        for parameter, last in self._last.items():
            place, steps = self._without_graph.get(last.root or "", (None, set[int]()))
            if parameter not in self._cuts and place is not None and len(steps) >= _ENOUGH:
                self._cuts[parameter] = "runs with gradients off here, in each step that was looked at", place
        for parameter, (label, place) in self._cuts.items():
            last = self._last.get(parameter)
            if parameter in self._alive or last is None or self._without[parameter] < _ENOUGH or not last.registered:
                continue
            if last.loaded or last.changed or final.get(parameter):
                continue  # frozen on purpose, or moved by the program itself
            if final.get(parameter) is None and self._last_step[parameter] * _LATE < end.step:
                continue  # it may have been let free since it was last looked at
            group = grouped.setdefault((last.root, line_of(place)), _Cut(place=place, label=label, parameters=[]))
            group.parameters.append(last)
        for cut in grouped.values():
            yield self._told(cut, end)

    def _told(self, cut: _Cut, end: RunEnd) -> Finding:
        count = len(cut.parameters)
        names = ", ".join(f"`{parameter.name}`" for parameter in cut.parameters[:3]) + (", …" if count > 3 else "")
        plural = "s" if count > 1 else ""
        steps = min(self._without[parameter.id] for parameter in cut.parameters)
        return self.finding(
            f"{count} parameter{plural} of the optimizer never receive{'' if count > 1 else 's'} gradient: {names}",
            at=cut.place,
            event=self._event or end,
            label=cut.label,
            evidence={"parameters": [parameter.name for parameter in cut.parameters[:10]], "count": count},
            related=[(f"{names.split(',')[0]} was made here", cut.parameters[0].made)],
            proof_note=f"used in the forward, and without gradient at each of {steps} attended steps",
            help="take the cut out; where these are meant to stay as they are, say so: "
            "`requires_grad_(False)` and leave them out of the optimizer",
            subjects={parameter.id for parameter in cut.parameters},
            fix=fix(Change.CONNECT, "operation", parameters=tuple(parameter.id for parameter in cut.parameters)),
        )


def _given_to(loss: Loss) -> _Given:
    """Returns what layers on the way to a loss take from outside, at places whose line says `detach` or the like."""
    wanted = ancestors(loss.operations, [loss.value.producer]) if loss.value.producer >= 0 else ()
    places = [
        (value.shape, operation.site)
        for operation in (loss.operations[index] for index in wanted)
        if _takes_from_outside(loss, operation) and _says_cut(operation.site)
        for value in (behind_layout(loss.operations, value) for value in operation.inputs)
        if value.subject is None and not value.requires_grad and value.producer < 0
    ]
    return _Given(loss.step, line_of(loss.site), tuple(places))


def _says_cut(place: Place) -> bool:
    """Tells whether a place's own line cuts a graph by a method or an attribute."""
    at = line_of(place)
    tree = tree_of(at[0]) if at is not None else None
    return at is not None and any(
        isinstance(node, ast.Attribute) and node.attr in _CUTTING_NAMES and node.lineno <= at[1] <= (node.end_lineno or node.lineno)
        for node in (walk(tree) if tree is not None else ())
    )


def _cut_behind(loss: Loss, uses: list[int], before_loss: frozenset[int]) -> tuple[str, Operation] | None:
    """Returns the operation at which gradient stops on the way from a parameter to the loss, or None where it does not.

    What autograd detaches to keep for itself is not on that way.
    """
    found = [
        operation
        for operation in (loss.operations[index] for index in downstream(loss.operations, uses) if index in before_loss)
        if operation.site is not None and cuts(operation)
    ]
    if not found:
        left = _left_the_trace(loss, uses, before_loss)
        if left is not None:
            return f"leaves the graph here: no gradient flows through `{left.name}`", left
        lost = _lost_loss(loss, uses, before_loss)
        return ("this loss is computed, and no backward ever hears of it", lost) if lost is not None else None
    # A weight that is transposed under `no_grad` cuts first: the place that computes with it says more.
    first = next((operation for operation in found if operation.gradients or operation.name not in LAYOUT), found[0])
    return (f"no gradient flows through `{first.name}`" if first.gradients else "no gradient is recorded here"), first


def _left_the_trace(loss: Loss, uses: list[int], before_loss: frozenset[int]) -> Operation | None:
    """Finds a result that was detached and came back, through other hands than the framework's, into a later layer.

    An output that is computed, detached and merely shown does not come back.
    """
    behind = downstream(loss.operations, uses)
    if before_loss.intersection(behind):
        return None
    left = None
    for index in behind:
        operation = loss.operations[index]
        made_at = {loss.operations[value.producer].site for value in operation.inputs if value.producer >= 0}
        # What autograd detaches to keep for itself stands at the place of the operation that keeps it.
        if operation.name in ("detach", "item") and operation.site is not None and operation.site not in made_at:
            left = operation
    if left is None:
        return _made_anew(loss, behind, before_loss)
    later = (operation for operation in loss.operations[left.index :] if operation.index in before_loss)
    return left if any(_takes_from_outside(loss, operation) for operation in later) else None


def _lost_loss(loss: Loss, uses: list[int], before_loss: frozenset[int]) -> Operation | None:
    """Finds a loss that keeps its gradient, and that is no part of what is differentiated."""
    for index in downstream(loss.operations, uses):
        operation = loss.operations[index]
        learned = operation.gradients and any(value.requires_grad for value in operation.outputs)
        if learned and operation.name in LOSS and index not in before_loss and operation.site is not None:
            return operation
    return None


def _made_anew(loss: Loss, behind: list[int], before_loss: frozenset[int]) -> Operation | None:
    """Finds where an array of the shape of a lost result is made of plain numbers and given to a later layer."""
    lost = {value.shape for index in behind for value in loss.operations[index].outputs}
    for operation in loss.operations[behind[-1] :] if behind else ():
        made = operation.index in before_loss and operation.site is not None and operation.name == "new"
        if made and len(operation.outputs) == 1 and len(operation.outputs[0].shape) > 1 and operation.outputs[0].shape in lost:
            return operation
    return None


def _takes_from_outside(loss: Loss, operation: Operation) -> bool:
    """Tells whether a layer takes an array that neither the trace nor a loader made."""
    sources = [behind_layout(loss.operations, value) for value in operation.inputs]
    return any((source.subject or "").startswith("parameter") for source in sources) and any(
        source.subject is None
        and not source.requires_grad
        and "float" in source.dtype
        and (source.producer < 0 or loss.operations[source.producer].name == "new")
        for source in sources
    )
