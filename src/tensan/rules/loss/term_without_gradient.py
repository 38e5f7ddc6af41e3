"""A term that is added to the loss, depends on the parameters, and gives them no gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import CUTTING, LAYOUT, ancestors
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.traces import cuts, cuts_behind, line_of, parameters_behind

#: Ends of the sum that is the loss are looked for through these.
_SCALED_BY = frozenset({"mul", "div"})
_REDUCED = LAYOUT | {"mean", "sum", "neg"}
#: A factor in front of a term, such as 0.01, has few digits; numbers that agree with one by chance do not.
_DIGITS = 4
_CLOSE = 1e-12
_HOW = {"item": "`.item()` made a plain number of it", "detach": "it was detached", "argmax": "`argmax` has no gradient"}
#: Choose or count: such a call is right where something beside it has gradient, so the fault lies in the term that is made of nothing else.
_CHOOSING = (CUTTING - {"detach", "item", "new"}) | {"max", "min", "median", "mode", "kthvalue", "multinomial"}


class TermWithoutGradient(Rule):
    """
    ## What it does
    Finds a term of the loss that was computed from trainable parameters and then cut from them, by `.item()`, `detach()`, `no_grad` or
    an operation without a gradient, so that adding it changes the number that is printed and nothing else.

    ## Why is this bad?
    The penalty, the auxiliary loss or the second task is not trained at all, while the logged loss includes it.

    ## Example
    ```python
    penalty = sum(p.pow(2).sum() for p in model.parameters())
    loss = F.cross_entropy(model(x), y) + 1e-3 * penalty.item()
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(model(x), y) + 1e-3 * penalty
    ```
    A term may also be made of nothing but choices and counts, such as how often each expert came first. For a gradient it needs
    something smooth beside them, such as the mean of the probabilities.

    ## Known problems
    Straight-through terms (`a + (b - a).detach()`) pass, and so do constants that the other term holds too, as in a stable
    logsumexp, what a choice costs beside the score of what was chosen, and numbers that were changed in other ways than by a factor
    of up to four digits after `.item()`.
    """

    code = "LOS108"
    name = "term-without-gradient"
    category = Category.SUSPICIOUS
    law = 7
    effect = "wrong-gradient"

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        operations = loss.operations
        for addition, learned in _additions(operations, loss.value.producer):
            self.armed = True
            found = _constant_term(operations, addition, learned)
            if found is not None and _is_choice(found[1]):
                yield self._chosen(loss, addition, *found)
                continue
            cut = found[1] if found is not None else _number_read(loss, addition, learned)
            if cut is not None:
                yield self._finding(loss, addition, cut)

    def _finding(self, loss: Loss, addition: Operation, cut: Operation) -> Finding:
        how = _HOW.get(cut.name, "it was computed with gradients off" if not cut.gradients else f"`{cut.name}` gives no gradient")
        place: Place = cut.site if cut.site is not None else addition.site
        apart = line_of(place) != line_of(addition.site)
        return self.finding(
            f"a term of the loss gives no gradient: {how}",
            at=place,
            event=loss,
            label="cut from the parameters here",
            evidence={"cut by": cut.name, "term": str(cut.inputs[0]) if cut.inputs else "?"},
            related=[("added to the loss here", addition.site)] if apart else (),
            proof_note="the term was computed from parameters that are trained, and no gradient can reach them from it",
            help="add the term itself, as a tensor with its gradient; detach a copy of it for the log",
        )

    def _chosen(self, loss: Loss, addition: Operation, term: Operation, cut: Operation) -> Finding:
        place: Place = term.site if term.site is not None else addition.site
        beside = [("the choice is made here", cut.site), ("the term is added to the loss here", addition.site)]
        return self.finding(
            "a term of the loss gives no gradient: it is made of choices and counts alone",
            at=place,
            event=loss,
            label="no gradient leads from here to the parameters",
            evidence={"cut by": cut.name, "chosen from": str(cut.inputs[0]) if cut.inputs else "?"},
            related=[(text, site) for text, site in beside if line_of(site) != line_of(place)],
            proof_note="the term was computed from parameters that are trained, and all of it went through what has no gradient",
            help="put something smooth beside the choice: the mean of the probabilities, say, in place of one of the counts",
        )


def _additions(operations: Sequence[Operation], start: int) -> Iterator[tuple[Operation, Value]]:
    """Yields the additions that make one number of the terms of the loss, each with a term that has gradient."""
    waiting, seen = [start], set[int]()
    while waiting:
        index = waiting.pop()
        if index < 0 or index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        learned = [value for value in operation.inputs if value.requires_grad]
        if operation.name == "concatenate" and learned and all(size == 1 for value in operation.inputs for size in value.shape):
            yield operation, learned[0]  # terms that are stacked, to be summed
            waiting += [value.producer for value in learned]
            continue
        # Of a stack of terms the sum is one number, its layout is not.
        if any(size != 1 for value in operation.outputs for size in value.shape) and operation.name not in LAYOUT:
            continue
        if operation.name in ("add", "sub") and learned:
            yield operation, learned[0]
            waiting += [value.producer for value in learned]
        elif len(learned) == 1 and (operation.name in _REDUCED or operation.name in _SCALED_BY):
            waiting.append(learned[0].producer)


def _constant_term(operations: Sequence[Operation], addition: Operation, learned: Value) -> tuple[Operation, Operation] | None:
    """Returns the operation that made a term without gradient, before it was weighed, and what cut it from trainable parameters."""
    for value in addition.inputs:
        if value.requires_grad or value.producer < 0:
            continue
        for cut in cuts_behind(operations, value):
            if parameters_behind(operations, cut.index) or _has_parameter(cut):
                term = None if _is_meant(operations, cut, value.producer, learned) else _before_weights(operations, value.producer)
                return (term, cut) if term is not None else None
    return None


def _is_meant(operations: Sequence[Operation], cut: Operation, constant: int, learned: Value) -> bool:
    """Tells whether the other term makes up for the gradient that this one lacks."""
    scored = _is_choice(cut) and _scores(operations, cut, learned)
    return scored or _contains(operations, cut, learned) or _shifts(operations, cut, constant, learned)


def _is_choice(cut: Operation) -> bool:
    return cut.name in _CHOOSING and cut.gradients


def _scores(operations: Sequence[Operation], cut: Operation, learned: Value) -> bool:
    """Tells whether the other term is the score of what was chosen: what the choice costs is then a constant of it, as in a margin."""
    waiting, seen = [learned.producer], set[int]()
    while waiting:
        index = waiting.pop()
        if index < 0 or index in seen:
            continue
        seen.add(index)
        operation = operations[index]
        if operation.name == "gather" and cut.index in ancestors(operations, [value.producer for value in operation.inputs[1:]]):
            return True
        if operation.name in _REDUCED or operation.name in _SCALED_BY or operation.name in ("add", "sub"):
            waiting += [value.producer for value in operation.inputs]
    return False


def _before_weights(operations: Sequence[Operation], index: int) -> Operation | None:
    """Returns the operation that made a term, behind factors and layout; None where it is multiplied by nought: that switches it off."""
    while True:
        operation = operations[index]
        arguments = operation.settings.get("arguments", ())
        numbers = [each for each in arguments if isinstance(each, (int, float))] if isinstance(arguments, tuple) else []
        weighs = operation.name in _SCALED_BY
        if weighs and operation.name == "mul" and 0 in numbers:
            return None
        made = [value.producer for value in operation.inputs if 0 <= value.producer < index]
        if len(made) != 1 or not (weighs or operation.name == "neg" or operation.name in LAYOUT):
            return operation
        index = made[0]


def _shifts(operations: Sequence[Operation], cut: Operation, constant: int, learned: Value) -> bool:
    """Tells whether the other term holds the constant too, as where the largest score is taken out of an exponential and added again."""
    if learned.producer < 0:
        return False
    source = [value.producer for value in cut.inputs]
    behind = (operations[index] for index in ancestors(operations, [learned.producer]))
    by_value = not _is_choice(cut)  # a choice is no value that the other term could hold
    return any(
        each.index == constant or (by_value and cuts(each) and [value.producer for value in each.inputs] == source) for each in behind
    )


def _subtracts(operations: Sequence[Operation], number: float, learned: Value) -> bool:
    """Tells whether a number that is added to a term was used inside it as well."""
    if learned.producer < 0:
        return False
    for index in ancestors(operations, [learned.producer]):
        arguments = operations[index].settings.get("arguments", ())
        numbers = [abs(each) for each in arguments if isinstance(each, (int, float))] if isinstance(arguments, tuple) else []
        if operations[index].name in ("add", "sub") and abs(number) in numbers:
            return True
    return False


def _has_parameter(cut: Operation) -> bool:
    return any((value.subject or "").startswith("parameter") and value.requires_grad for value in cut.inputs)


def _contains(operations: Sequence[Operation], cut: Operation, learned: Value) -> bool:
    """Tells whether what was cut holds the other term too, as where only the value of a loss is replaced."""
    return learned.producer >= 0 and learned.producer in set(ancestors(operations, [value.producer for value in cut.inputs]))


def _number_read(loss: Loss, addition: Operation, learned: Value) -> Operation | None:
    """Returns the operation that made a plain number of a term which the program then added."""
    arguments = addition.settings.get("arguments", ())
    assert isinstance(arguments, tuple), arguments
    if len(addition.inputs) != 1 or not arguments or not isinstance(arguments[0], (int, float)) or isinstance(arguments[0], bool):
        return None
    number = float(arguments[0])
    for operation in reversed(loss.operations[: addition.index]):
        read = loss.results.get(operation.index)
        if operation.name != "item" or read is None or number == 0 or _is_round(read, 1e-6) or not _is_round(number / read, _CLOSE):
            continue
        known = parameters_behind(loss.operations, operation.index) or _has_parameter(operation)
        meant = _contains(loss.operations, operation, learned) or _subtracts(loss.operations, number, learned)
        return operation if known and not meant else None
    return None


def _is_round(number: float, tolerance: float) -> bool:
    """Tells whether a number has few digits, as those have that people write."""
    plain = float(f"{number:.{_DIGITS}g}")
    return abs(number - plain) <= tolerance * abs(plain)
