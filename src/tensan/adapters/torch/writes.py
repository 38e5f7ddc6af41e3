"""Remembers where the program last gave parameters their values: by `nn.init`, or by a statement that writes to them."""

from __future__ import annotations

import ast
from typing import Any

from tensan.adapters.torch.statements import users_modules
from tensan.core.sites import Place, Site, here
from tensan.core.trees import location, tree_of, walk

#: Tensors that are remembered, by the memory they lie in.
MOST_WRITTEN = 20_000

_WRITING = frozenset({"fill_", "normal_", "uniform_", "zero_", "copy_", "mul_", "add_", "sub_", "div_", "clamp_"})


class Writes:
    """The last place that wrote to a tensor, as far as it was seen."""

    def __init__(self) -> None:
        self.moment = 0
        self._places: dict[int, tuple[Site, int]] = {}
        self._found: dict[str, Place] = {}

    def written(self, tensor: Any) -> None:
        """A function of `nn.init` is about to fill a tensor."""
        place = here(3)
        key = _memory_of(tensor)
        if place is None or key is None:
            return
        if len(self._places) >= MOST_WRITTEN:
            self._places.clear()
        self.moment += 1
        self._places[key] = place, self.moment

    def place_of(self, tensor: Any, *, made: Place) -> Place:
        """Returns where `nn.init` last filled a tensor; None where that was the constructor that made it."""
        known = self._places.get(_memory_of(tensor) or 0)
        return None if known is None or known[0] == made else known[0]

    def was_filled(self, tensor: Any) -> bool:
        """Tells whether a function of `nn.init` has filled a tensor, its constructor's included."""
        return (_memory_of(tensor) or 0) in self._places

    def is_later(self, tensor: Any, moment: int) -> bool:
        """Tells whether `nn.init` has filled a tensor after a moment of this object's own count."""
        known = self._places.get(_memory_of(tensor) or 0)
        return known is not None and known[1] > moment

    def statement_writing(self, name: str) -> Place:
        """Returns the first statement of the program that writes to a parameter of that last name, or to all of a module."""
        if name not in self._found:
            self._found[name] = next(_statements_writing(name), None)
        return self._found[name]


def _memory_of(tensor: Any) -> int | None:
    try:
        return tensor.data_ptr() or None
    except (RuntimeError, NotImplementedError):  # no memory of its own, such as a lazy or a fake one
        return None


def _statements_writing(name: str) -> Any:
    for module in users_modules():
        path = str(module.__file__)
        tree = tree_of(path)
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, ast.For) and ".parameters(" in ast.unparse(node.iter) and isinstance(node.target, ast.Name):
                for inner in walk(node):
                    if isinstance(inner, ast.stmt) and _writes(inner, lambda item, target=node.target.id: _is_name(item, target)):
                        yield location(path, inner, "")
            elif isinstance(node, ast.stmt) and _writes(node, lambda item: isinstance(item, ast.Attribute) and item.attr == name):
                yield location(path, node, "")


def _is_name(item: ast.AST, name: str) -> bool:
    return isinstance(item, ast.Name) and item.id == name


def _writes(node: ast.stmt, to: Any) -> bool:
    """Tells whether a statement calls a method that writes, or assigns, through an expression that names what is wanted."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        call = node.value.func
        return call.attr in _WRITING and any(to(item) for item in walk(call.value))
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    for target in targets:
        through = isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and target.attr == "data")
        if through and any(to(item) for item in walk(target.value)):  # pyright: ignore[reportAttributeAccessIssue]
            return True
    return False
