"""Finds values that a module keeps up to date while it trains and computes with, and that its state dict leaves out."""

from __future__ import annotations

import ast
import inspect
import textwrap
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import bindings
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.source import assigns, in_definition
from tensan.adapters.torch.trace import storage_of
from tensan.core.events.state import StateLeavesOut
from tensan.core.sites import Place, is_users
from tensan.core.trees import walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Values of one model that are followed, elements of one, and tensors of a saved object that are compared with them.
MOST_VALUES = 64
MOST_ELEMENTS = 1 << 20
MOST_SAVED = 20_000
_FOLLOWING = ast.Add | ast.Sub | ast.Mult | ast.Div


class LeftOut:
    """The models that have been entered with gradients on, and what their running values were then."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._models: weakref.WeakKeyDictionary[Any, dict[tuple[str, str], Any]] = weakref.WeakKeyDictionary()
        self._names: dict[type, frozenset[str]] = {}

    def entered(self, module: Any) -> None:
        """A model is entered with gradients on; the first time, the values that it keeps beside its state are taken down."""
        if module not in self._models:
            self._models[module] = {
                (path, name): tensor.detach().clone() for path, _, name, tensor in self._values(module) if tensor.numel() <= MOST_ELEMENTS
            }

    def saving(self, saved: Any, module: Any, site: Place) -> None:
        """A state of a module is about to be written to a file."""
        values = self._models.get(module)
        if values is None:
            return
        watch = self.recorder.watch
        written = [tensor.detach() for tensor in tensors_in(saved, most=MOST_SAVED)] if values else []
        storages = {storage_of(tensor) for tensor in written}
        for path, owner, name, tensor in self._values(module):
            before = values.get((path, name))
            if (
                before is None
                or _is_copy(before, tensor)
                or storage_of(tensor) in storages
                or any(_is_copy(each, tensor) for each in written)
            ):
                continue
            watch.emit(
                StateLeavesOut(
                    step=watch.steps,
                    site=site,
                    module=self.recorder.inventory.module_id(module),
                    name=f"{path}.{name}" if path else name,
                    kind=type(owner).__name__,
                    made=in_definition(type(owner), assigns(name, attribute=True)),
                )
            )
        watch.emit(StateLeavesOut(step=watch.steps, site=site, module=self.recorder.inventory.module_id(module)))

    def _values(self, module: Any) -> Iterator[tuple[str, Any, str, Any]]:
        """Yields path, owner, name and value of the running values of a model that are no part of its state."""
        found = 0
        for path, owner in module.named_modules():
            for name in self._running(type(owner)):
                tensor = bindings.attributes(owner).get(name)
                if type(tensor) is torch.Tensor and tensor.is_floating_point() and not tensor.requires_grad and found < MOST_VALUES:
                    found += 1
                    yield path, owner, name, tensor

    def _running(self, kind: type) -> frozenset[str]:
        if kind not in self._names:
            self._names[kind] = frozenset(_running_values(kind))
        return self._names[kind]


def _is_copy(saved: Any, tensor: Any) -> bool:
    return saved.shape == tensor.shape and saved.dtype == tensor.dtype and saved.device == tensor.device and torch.equal(saved, tensor)


def _running_values(kind: type) -> Iterator[str]:
    """Yields the attributes that a class of the program moves by what they were before, and computes with in its forward."""
    forward = vars(kind).get("forward")
    code = getattr(forward, "__code__", None)
    if code is None or not is_users(code.co_filename) or kind.get_extra_state is not torch.nn.Module.get_extra_state:
        return
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError, SyntaxError):
        return
    methods = {node.name: node for node in walk(tree) if isinstance(node, ast.FunctionDef)}
    moves = [(name, node) for method in methods.values() for node in walk(method) if (name := _moved(node))]
    moving = {part for _, node in moves for part in walk(node)}
    called = _called_from("forward", methods)
    loads = (node for name in called for node in walk(methods[name]) if isinstance(getattr(node, "ctx", None), ast.Load))
    read = {_own(node) for node in loads if node not in moving}
    yield from {name for name, _ in moves if name in read}


def _called_from(name: str, methods: dict[str, ast.FunctionDef]) -> set[str]:
    found, waiting = set[str](), [name]
    while waiting:
        method = waiting.pop()
        if method in methods and method not in found:
            found.add(method)
            waiting += [_own(node.func) for node in walk(methods[method]) if isinstance(node, ast.Call)]
    return found


def _own(node: ast.AST) -> str:
    """Returns the name of an attribute of `self`; empty for anything else."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""


def _moved(node: ast.AST) -> str:
    """Returns the attribute that a statement moves by what it was before: a running mean, a count; not a state that a layer computes."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, _FOLLOWING):
        return _own(node.target)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        name = _own(node.targets[0])
        return name if name and any(_is_term(part, name) for part in walk(node.value)) else ""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        # In place: `self.mean.mul_(0.9).add_(0.1 * x.mean(0))`.
        part: ast.expr = node.value
        moves = False
        while isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            moves = moves or part.func.attr in ("add_", "mul_", "lerp_", "sub_", "div_")
            part = part.func.value
        return _own(part) if moves else ""
    return ""


def _is_term(node: ast.AST, name: str) -> bool:
    """Tells whether an attribute is a term or a factor, in a sum, a product or an interpolation."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _FOLLOWING):
        return name in (_own(node.left), _own(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "lerp" and name in map(_own, (node.func.value, *node.args))
    return False
