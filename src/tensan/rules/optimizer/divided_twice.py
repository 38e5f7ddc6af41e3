"""OPT123: the loss is divided by the number of accumulated batches, and the library that differentiates it divides it again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT
from tensan.core.rule import Rule
from tensan.core.sites import Location, Place, resolved
from tensan.core.trees import called_name, tree_of, walk
from tensan.rules.optimizer._shared import Evidence, line_of

#: Recorded backwards in which it must have been so, in all of them.
_LEAST_SEEN = 2
#: How near a factor must be to one over the number.
_NEAR = 1e-6
#: Sums and products that are followed back from the loss.
_MOST_STEPS = 64
#: What programs call the number, and what libraries call the argument that they take it by.
_NAMED = re.compile(r"accum|acc_?steps", re.IGNORECASE)
_TAKEN_BY = frozenset({"gradient_accumulation_steps", "accumulate_grad_batches"})


class _Twice(msgspec.Struct, frozen=True):
    loss: Loss
    own: Operation
    library: Operation
    name: str
    number: int | float


class DividedTwice(Rule):
    """
    ## What it does

    Finds losses that the program divides by the number of accumulated batches although the library that differentiates them, Accelerate,
    Lightning or the Trainer of Transformers, divides by the same number.

    ## Why is this bad?

    The gradient of a step is then not the mean over its batches, but that mean over their number once more: with 8 batches it is 8 times
    too small. Training is as slow as at an eighth of the rate, clipping never takes hold, and decay weighs 8 times as much.

    ## Example

    ```python
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    with accelerator.accumulate(model):
        accelerator.backward(loss / steps)
    ```

    ## Use instead

    ```python
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    with accelerator.accumulate(model):
        accelerator.backward(loss)
    ```

    ## Known problems

    Speaks only where the program divides by what it calls an accumulation, or by what it gives to the library under such a name: any other
    division may only happen to be by the same number.
    """

    code = "OPT123"
    name = "divided-twice"
    category = Category.CORRECTNESS
    preview = True  # the zoo is PyTorch alone: there is no library in it that divides
    law = 3
    effect = "wrong-scale"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[object, Evidence[_Twice]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for operation in loss.operations:
            library, number = operation.settings.get("by"), _divisor(operation)
            if not isinstance(library, str) or number is None or number <= 1 or not operation.inputs:
                continue
            self.armed = True
            evidence = self._evidence.setdefault(line_of(operation.site), Evidence(_LEAST_SEEN))
            own = _divided(loss.operations, operation.inputs[0], number)
            if own is None or not _is_for_accumulation(own.site):
                evidence.refute()
                continue
            for seen in evidence.add(_Twice(loss, own, operation, library, number)):
                yield self._finding(seen)

    def _finding(self, seen: _Twice) -> Finding:
        apart = line_of(seen.own.site) != line_of(seen.library.site)
        return self.finding(
            f"the loss is divided by the {seen.number:g} accumulated batches here, and by {seen.name} once more",
            at=seen.own.site,
            event=seen.loss,
            label=f"divided by {seen.number:g}",
            evidence={"number": seen.number, "library": seen.name},
            related=[(f"{seen.name} divides it from here", seen.library.site)] if apart else [],
            proof_note=f"divided by {seen.number:g} in the program and in {seen.name}: gradients are {seen.number:g} times too small",
            help=f"leave the division to {seen.name}",
            subjects={"*"},
        )


def _divisor(operation: Operation) -> int | float | None:
    """Returns the number that an operation divides by, as a number of the program's; None for what a tensor holds."""
    factor = _factor(operation)
    return factor if operation.name == "div" else None


def _factor(operation: Operation) -> int | float | None:
    arguments = operation.settings.get("arguments")
    if not isinstance(arguments, tuple) or len(arguments) != 1 or len(operation.inputs) != 1:
        return None
    return arguments[0] if isinstance(arguments[0], (int, float)) and not isinstance(arguments[0], bool) else None


def _divided(operations: Sequence[Operation], value: Value, number: float) -> Operation | None:
    """Returns where the program has divided a loss, or every term of it, by a number."""
    waiting, found = [value.producer], None
    for _ in range(_MOST_STEPS):
        if not waiting:
            return found
        index = waiting.pop()
        operation = operations[index] if 0 <= index < len(operations) else None
        if operation is None or not operation.inputs:
            return None
        factor = _factor(operation)
        if factor is not None and operation.name in ("div", "mul"):
            divided = factor == number if operation.name == "div" else abs(factor * number - 1) < _NEAR
            if divided and "by" not in operation.settings:
                found = operation
                continue
        elif operation.name == "add" and len(operation.inputs) == 2:
            waiting += [each.producer for each in operation.inputs if each.requires_grad]
            continue
        elif operation.name not in LAYOUT:
            return None
        waiting.append(operation.inputs[0].producer)
    return None


def _is_for_accumulation(place: Place) -> bool:
    """Tells whether what stands at a place divides by the number of accumulated batches, by what the program calls it."""
    at = resolved(place)
    tree = tree_of(at.path) if at is not None else None
    if at is None or tree is None:
        return False
    given = {
        ast.unparse(node.value)
        for node in walk(tree)
        if isinstance(node, ast.keyword) and node.arg in _TAKEN_BY and not isinstance(node.value, ast.Constant)
    }
    return any(_NAMED.search(divisor) or divisor in given for divisor in _divisors(tree, at))


def _divisors(tree: ast.AST, at: Location) -> Iterator[str]:
    """Yields what is divided by in the lines of a place."""
    for node in walk(tree):
        if not isinstance(node, (ast.BinOp, ast.AugAssign, ast.Call)) or not at.line <= node.lineno <= max(at.line, at.end_line):
            continue
        if isinstance(node, ast.Call):
            if called_name(node) in ("div", "div_", "true_divide") and node.args:
                yield ast.unparse(node.args[-1])
        elif isinstance(node.op, ast.Div):
            yield ast.unparse(node.right if isinstance(node, ast.BinOp) else node.value)
