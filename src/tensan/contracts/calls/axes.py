"""Axes with names: how those of a contract fit a shape, what each name stands for, and what is said where they do not fit."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Known = dict[str, Any]

_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


@dataclass(slots=True)
class Bindings:
    """What the names stand for in one call: sizes, the argument that each comes from, and types of what a type was written as."""

    sizes: Known = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    dtypes: dict[str, Any] = field(default_factory=dict)

    def bind(self, name: str, size: Any, origin: str) -> None:
        """Gives a name its size."""
        self.sizes[name] = size
        self.origins[name] = origin


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis, or any number of them, as a contract has it.

    Attributes:
        text: as it was written.
        name: what it binds, "" for nothing.
        size: its size, where it is a number.
        formula: computes its size from names that others bind.
        needs: those names.
        many: stands for any number of axes.
        repeatable: may be 1 as well, as broadcasting allows it.
    """

    text: str
    name: str = ""
    size: int | None = None
    formula: Callable[[Known], Any] | None = None
    needs: tuple[str, ...] = ()
    many: bool = False
    repeatable: bool = False

    def wanted(self, sizes: Known) -> Any:
        """Returns its size, or None where that is open."""
        if self.formula is not None:
            return self.formula(sizes) if all(name in sizes for name in self.needs) else None
        return sizes.get(self.name) if self.name else self.size


@dataclass(frozen=True, slots=True)
class Axes:
    """All axes of an array; one of them at most stands for many."""

    axes: tuple[Axis, ...]
    many: int = -1
    computed: bool = False

    @classmethod
    def of(cls, axes: Sequence[Axis]) -> Axes:
        """Returns these axes as one."""
        many = next((index for index, axis in enumerate(axes) if axis.many), -1)
        return cls(tuple(axes), many, any(axis.formula is not None for axis in axes))

    def fit(self, shape: Sequence[Any], bindings: Bindings, origin: str) -> bool:
        """Tells whether a shape fits what is known, and binds the names that are not known yet; what is computed is left for later."""
        paired = self._paired(shape)
        if paired is None:
            return False
        sizes = bindings.sizes
        for axis, size in paired:
            if size is None or axis.formula is not None or (axis.repeatable and size == 1):
                continue
            wanted = sizes.get(axis.name) if axis.name else axis.size
            if wanted is not None:
                if wanted != size:
                    return False
            elif axis.name:
                bindings.bind(axis.name, size, origin)
        return True

    def compute(self, shape: Sequence[Any], bindings: Bindings) -> bool:
        """Tells whether the axes that are computed have the size that comes out, where all that they need is known."""
        return not any(axis.formula is not None for axis, _, _ in self._quarrels(shape, bindings.sizes))

    def expected(self, shape: Sequence[Any], bindings: Bindings) -> str:
        """Returns what was wanted instead of this shape: `[B=4, T=10] (T from x)`."""
        shown = ", ".join(_shown(axis, bindings.sizes) for axis in self.axes)
        quarrels = self._quarrels(shape, bindings.sizes) if self._paired(shape) is not None else [(axis, 0, 0) for axis in self.axes]
        named = dict.fromkeys(name for axis, _, _ in quarrels for name in (axis.needs or (axis.name,)) if name in bindings.origins)
        origins = ", ".join(f"{name} from {bindings.origins[name]}" for name in named if not name.startswith("self."))
        return f"[{shown}] ({origins})" if origins else f"[{shown}]"

    def names(self, shape: Sequence[Any]) -> tuple[str, ...]:
        """Returns what each axis of a shape that fits is called, `_` where it has no name of its own."""
        found: list[str] = []
        for axis, size in self._paired(shape) or ():
            plain = axis.name if axis.formula is None and "." not in axis.name else ""
            found += ["_"] * len(size) if axis.many else [plain or "_"]
        return tuple(found)

    def _quarrels(self, shape: Sequence[Any], sizes: Known) -> list[tuple[Axis, Any, Any]]:
        """Returns the axes that have another size than is wanted, with both sizes."""
        found = []
        for axis, size in self._paired(shape) or ():
            wanted = axis.wanted(sizes)
            if not (size is None or wanted is None or wanted == size or (axis.repeatable and size == 1)):
                found.append((axis, wanted, size))
        return found

    def _paired(self, shape: Sequence[Any]) -> list[tuple[Axis, Any]] | None:
        """Returns each axis with its size, a tuple for the one that stands for many; None where their number does not fit."""
        axes, many = self.axes, self.many
        if many < 0:
            return list(zip(axes, shape, strict=True)) if len(shape) == len(axes) else None
        end = len(shape) - (len(axes) - many - 1)
        if end < many:
            return None
        rest = tuple(shape[many:end])
        return list(zip(axes, (*shape[:many], rest, *shape[end:]), strict=True))


def formula(node: ast.expr) -> Callable[[Known], Any] | None:
    """Returns what computes an expression of names, whole numbers, `+`, `-`, `*`, `//`; None where there is anything else in it."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
        return lambda sizes: value
    if isinstance(node, (ast.Name, ast.Attribute)) and (name := dotted(node)):
        return lambda sizes: sizes[name]
    if isinstance(node, ast.BinOp) and (operation := _OPERATORS.get(type(node.op))):
        left, right = formula(node.left), formula(node.right)
        if left is not None and right is not None:
            return lambda sizes: operation(left(sizes), right(sizes))
    return None


def needs(node: ast.expr) -> tuple[str, ...]:
    """Returns the names in an expression."""
    if name := dotted(node):
        return (name,)
    return tuple(dict.fromkeys(name for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr) for name in needs(child)))


def dotted(node: ast.expr) -> str:
    """Returns a name with its attributes as it is written, "" where an expression is more than that."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def _shown(axis: Axis, sizes: Known) -> str:
    wanted = None if axis.size is not None else axis.wanted(sizes)
    return axis.text if wanted is None else f"{axis.text}={wanted}"
