"""Finds data whose axes were put in another order before any model saw them, by a reshape that left every value where it was.

No operation is recorded there, but the array still knows whose memory it lies in, and what shape that had.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import bindings
from tensan.adapters.torch.statements import users_modules
from tensan.adapters.torch.stored import containers, is_array
from tensan.core.events.data import LaidOutAnew
from tensan.core.events.things import Shape
from tensan.core.sites import Location
from tensan.core.trees import location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Batches of the run for which the data is looked at; data that comes later was laid out by the same lines.
MOST_LOOKS = 4
_RESHAPES = ("reshape", "view")


class LaidOut:
    """The data that models are given, as it was laid out before."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = MOST_LOOKS
        self._told: set[tuple[Shape, Shape]] = set()

    def given(self, inputs: Any) -> None:
        """A model is about to run with gradients."""
        if not self._looks or not self.recorder.watch.wants(LaidOutAnew):
            return
        self._looks -= 1
        for tensor in inputs:
            if type(tensor) is torch.Tensor and tensor.dim() >= 3:
                self._look(tensor)

    def _look(self, tensor: Any) -> None:
        with bindings.scopes() as where:
            named = [value for scope in where for value in list(scope.names.values())[: bindings.MOST_ENTRIES]]
        loader = self.recorder.loaders.last
        kept = containers(loader.living_dataset()) if loader is not None else ()
        for array in filter(is_array, (tensor, *kept, *named)):
            if tuple(array.shape[1:]) != tuple(tensor.shape[1:]):
                continue
            shapes = laid_out(array)
            site = line_of(shapes[1]) if shapes is not None and shapes not in self._told else None
            if shapes is not None and site is not None:
                self._told.add(shapes)
                self.recorder.watch.emit(LaidOutAnew(step=self.recorder.watch.steps, site=site, given=shapes[0], made=shapes[1]))


def laid_out(array: Any) -> tuple[Shape, Shape] | None:
    """Returns the shape in whose memory an array of as many samples lies, and its own; None where that is no other one."""
    base = array._base if isinstance(array, torch.Tensor) else array.base
    if base is None or not is_array(base) or not (_is_in_order(array) and _is_in_order(base)) or array.dtype != base.dtype:
        return None
    behind, made = tuple(base.shape[1:]), tuple(array.shape)
    size = math.prod(behind)
    if not behind or not size or behind == made[1:] or math.prod(made) != made[0] * size:
        return None
    return (made[0], *behind), made


def line_of(made: Shape) -> Location | None:
    """Returns the reshape in the program that gives arrays a shape: the one whose written lengths are most like it."""
    found = [
        (matches, location(str(module.__file__), call))
        for module in users_modules()
        for call, matches in _reshapes(tree_of(str(module.__file__)), made)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _reshapes(tree: ast.AST | None, made: Shape) -> Iterator[tuple[ast.Call, int]]:
    for node in walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _RESHAPES:
            continue
        lengths = node.args[1:] if isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "numpy", "torch") else node.args
        if len(lengths) == 1 and isinstance(lengths[0], (ast.Tuple, ast.List)):
            lengths = lengths[0].elts
        if len(lengths) != len(made) or any(isinstance(item, ast.Starred) for item in lengths):
            continue
        written = [_number(item) for item in lengths]
        if all(number in (None, -1, length) for number, length in zip(written, made, strict=True)):
            yield node, sum(number is not None for number in written)


def _number(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def _is_in_order(array: Any) -> bool:
    if isinstance(array, torch.Tensor):
        return array.layout is torch.strided and array.is_contiguous()
    return bool(array.flags.c_contiguous)
