"""Looks whether the noise that a model is to predict is the noise that its input was mixed with."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.bindings import node_at
from tensan.adapters.torch.code_scopes import place_of, statements_of
from tensan.adapters.torch.supervision import IGNORED, Target, is_plain, subtracted, targets
from tensan.adapters.torch.trace import Trace, storage_of
from tensan.adapters.torch.variables import variables
from tensan.core.events.targets import NoisePredicted
from tensan.core.events.things import Operation
from tensan.core.operations import PAIRED_LOSS, ancestors, through_layout
from tensan.core.sites import Location, Place, Site
from tensan.core.trees import body_of, called_name, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Losses that are looked at, and values of a target that has enough and not too many of them.
MOST_LOOKS = 6
LEAST_VALUES = 64
#: Operations after a draw, or after a difference, among which what becomes of it is looked for.
MOST_NEAR = 64
MOST_VALUES = 1 << 20
#: How closely an array of the program must follow an input to be what was mixed, and from where on it is the input.
LEAST_MIXED = 0.2
WHOLE = 0.995
#: Draw from a normal distribution: as the program writes it, and as an operation.
_DRAWING = frozenset({"randn", "randn_like", "normal", "normal_"})
_DRAWS = frozenset({"aten::randn", "aten::randn_like", "aten::normal_", "aten::normal"})


class DrawnTargets:
    """Looks at the losses of recorded steps whose target has the shape of the model's input."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if self._looks >= MOST_LOOKS or not self.recorder.watch.wants(NoisePredicted):
            return
        told = _within(trace, step=self.recorder.watch.steps)
        for found in _compared(trace):
            paired = found.name in PAIRED_LOSS or found.name == "sub"
            if told is None and paired and _is_read(found.target) and found.prediction.shape == found.target.shape:
                told = self._before(trace, found)
        if told is not None:
            self._looks += 1
            self.recorder.watch.emit(told)

    def _before(self, trace: Trace, found: Target) -> NoisePredicted | None:
        """Compares the values of a target with those that the model was given, where both were made before it ran."""
        target, operations = found.target, trace.operations
        if trace.producer_of(target) >= 0 or trace.producer_of(found.prediction) < 0:
            return None
        given = [each for inputs in trace.entered for each in inputs if _is_read(each) and each.shape == target.shape]
        if not given:
            return None
        name, drawn = _drawn(found.site)
        own = {storage_of(each) for each in (target, found.prediction, *given)}
        told = NoisePredicted(step=self.recorder.watch.steps, site=found.site, num_values=target.numel())
        if drawn is None or storage_of(target) in map(storage_of, given) or not operations or _has_keywords(trace.entry):
            return told
        held = [value for value in self._held() if value.shape == target.shape and storage_of(value) not in own]
        mixed, related = 0.0, 0.0
        for each in given:
            with_data = max(((value, _correlation(each, value)) for value in held), key=lambda pair: _mixes(pair[1]), default=None)
            alone = _correlation(each, target)
            related = max(related, abs(alone))
            if with_data is not None and _mixes(with_data[1]):
                mixed = max(mixed, abs(with_data[1]))
                related = max(related, abs(_partial(alone, with_data[1], _correlation(target, with_data[0]))))
        return NoisePredicted(
            step=told.step, site=told.site, num_values=told.num_values, name=name, drawn=drawn, related=related, mixed=mixed
        )

    def _held(self) -> Iterator[Any]:
        """Yields the arrays in reach of the program that an input may have been mixed from."""
        yield from (value for value in self.recorder.loaders.batch() if _is_read(value))
        yield from (value for _, value, _ in variables(4) if isinstance(value, torch.Tensor) and _is_read(value))


def _compared(trace: Trace) -> Iterator[Target]:
    """Yields the targets of a trace, those too that a loss is given before the prediction: to an error that is one."""
    yield from targets(trace)
    for kept in trace.losses:
        sides = kept.arguments[:2]
        if len(sides) == 2 and all(isinstance(side, torch.Tensor) for side in sides) and sides[1].requires_grad > sides[0].requires_grad:
            operation = trace.operations[kept.index]
            yield Target(operation.name, sides[1], sides[0], IGNORED, operation.site)
    yield from subtracted(trace)


def _within(trace: Trace, *, step: int) -> NoisePredicted | None:
    """Follows draws through the recorded operations, where a target is drawn while the model runs; None where none is."""
    operations = trace.operations
    for operation in operations:
        if not (operation.name in PAIRED_LOSS or operation.name == "sub") or len(operation.inputs) < 2:
            continue
        left, right = operation.inputs[0], operation.inputs[1]
        if left.shape != right.shape or math.prod(left.shape) < LEAST_VALUES:
            continue
        if left.requires_grad == right.requires_grad:
            continue
        prediction, target = (left, right) if left.requires_grad else (right, left)
        drawn = _draw(operations, target.producer)
        if drawn is None or drawn.index > prediction.producer or not _is_squared(operations, operation):
            continue
        behind = [operations[index] for index in ancestors(operations, [prediction.producer])]
        shape = drawn.outputs[0].shape
        others = [each for each in behind if each.index != drawn.index and _is_draw(each) and each.outputs[0].shape == shape]
        others = [each for each in others if _is_mixed_with_data(operations, each)]
        return NoisePredicted(
            step=step,
            site=operation.site,
            num_values=math.prod(target.shape),
            drawn=drawn.site,
            exact=True,
            related=float(any(each.index == drawn.index for each in behind)),
            mixed=float(bool(others)),
            other=others[0].site if others else None,
        )
    return None


def _is_squared(operations: list[Operation], operation: Operation) -> bool:
    """Tells whether a difference becomes a loss of its squares, or of its sizes where torch's own loss takes it."""
    if operation.name != "sub":
        return True
    for later in operations[operation.index + 1 : operation.index + 1 + MOST_NEAR]:
        taken = [value.producer == operation.index for value in later.inputs]
        squares = later.name in ("pow", "square") or (later.name == "mul" and len(taken) > 1 and all(taken[:2]))
        if any(taken) and (squares or (later.name == "abs" and later.site == operation.site)):
            return True
    return False


def _is_mixed_with_data(operations: list[Operation], draw: Operation) -> bool:
    """Tells whether a draw is added to data of its shape before any parameter takes part, unlike one that a latent is drawn by."""
    shape = draw.outputs[0].shape
    for later in operations[draw.index + 1 : draw.index + 1 + MOST_NEAR]:
        if later.name not in ("add", "sub", "lerp"):
            continue
        above = set(ancestors(operations, [later.index]))
        values = [value for index in above for value in operations[index].inputs]
        learned = any((value.subject or "").startswith("parameter") for value in values)
        if draw.index in above and not learned and any(value.producer < 0 and value.shape == shape for value in values):
            return True
    return False


def _draw(operations: list[Operation], index: int) -> Operation | None:
    """Returns the draw that a value is, however it is laid out."""
    index = through_layout(operations, index)
    return operations[index] if index >= 0 and _is_draw(operations[index]) else None


def _is_draw(operation: Operation) -> bool:
    return operation.settings.get("aten") in _DRAWS and bool(operation.outputs)


def _is_read(tensor: Any) -> bool:
    fits = is_plain(tensor) and not tensor.requires_grad and tensor.is_floating_point() and tensor.itemsize > 1
    return fits and LEAST_VALUES <= tensor.numel() <= MOST_VALUES


def _correlation(left: Any, right: Any) -> float:
    one, other = (each.detach().double().reshape(-1) for each in (left, right))
    one, other = one - one.mean(), other - other.mean()
    size = float(one.norm() * other.norm())
    value = float(one @ other) / size if size else 0.0
    return value if math.isfinite(value) else 0.0


def _mixes(correlation: float) -> float:
    """Returns how closely an array follows an input, where it is part of it and not the whole."""
    return abs(correlation) if LEAST_MIXED <= abs(correlation) <= WHOLE else 0.0


def _partial(alone: float, with_data: float, of_target: float) -> float:
    """Returns how an input and a target are related once the data is taken out of both."""
    rest = (1 - with_data**2) * (1 - of_target**2)
    return (alone - with_data * of_target) / math.sqrt(rest) if rest > 0 else 0.0


def _drawn(site: Place) -> tuple[str, Location | None]:
    """Returns what a loss compares with by its name in the program, where that is a draw of noise, and the draw."""
    body = body_of(site.code) if isinstance(site, Site) else None
    if body is None or not isinstance(site, Site):
        return "", None
    line, statements = site.key[1], statements_of(body)
    around = [each for each in statements if each.lineno <= line <= (each.end_lineno or each.lineno)]
    if not around:
        return "", None
    for node in walk(around[-1]):
        sides = node.args if isinstance(node, ast.Call) else [node.left, node.right] if isinstance(node, ast.BinOp) else []
        for side in sides:
            if isinstance(side, ast.Name):
                made = [each for each in statements if isinstance(each, ast.Assign) and side.id in _names(each) and each.lineno < line]
                if made and _draws(made[-1].value):
                    return side.id, place_of(site.code, made[-1])
    return "", None


def _names(statement: ast.Assign) -> list[str]:
    return [target.id for target in statement.targets if isinstance(target, ast.Name)]


def _draws(value: ast.expr) -> bool:
    """Tells whether an expression draws noise and adds nothing to it."""
    parts = list(walk(value))
    adds = any(isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub)) for part in parts)
    return not adds and any(isinstance(part, ast.Call) and called_name(part) in _DRAWING for part in parts)


def _has_keywords(entry: Place) -> bool:
    """Tells whether the model may be given arrays by keyword, which nothing hears of."""
    call = node_at(entry, ast.Call) if isinstance(entry, Site) else None
    return call is None or any(not isinstance(keyword.value, ast.Constant) for keyword in call.keywords)
