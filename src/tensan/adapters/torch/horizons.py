"""Reads off the function of a `LambdaLR` after how many steps it is done: what it divides its argument by, and runs none of it."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from tensan.adapters.torch.statements import UNKNOWN, resolve
from tensan.core.sites import is_users
from tensan.core.trees import body_of, tree_of, walk

#: What schedules of other packages call their length, where they bind it to a function.
_LENGTHS = ("num_training_steps", "total_steps", "num_steps", "max_steps")
_EVALUATED: dict[str, Callable[..., Any]] = {"max": max, "min": min, "float": float, "int": int, "round": round, "abs": abs}

Lengths = Callable[[Any], int | None]


def horizon_of(function: Any, lengths: Lengths) -> tuple[int, str] | None:
    """Returns the number of steps that a function of the step plans for, and how the program writes it; None where it cannot be read.

    Args:
        function: what the program gave to `LambdaLR`.
        lengths: the length of a loader, where it is known.
    """
    if isinstance(function, functools.partial):
        for name in _LENGTHS:
            value = function.keywords.get(name)
            if isinstance(value, (int, float)) and value > 0:
                return int(value), name
        return None
    if type(function) is not FunctionType or not is_users(function.__code__.co_filename) or function.__code__.co_argcount < 1:
        return None
    body = _body(function)
    if body is None:
        return None
    return max(_Reading(function, lengths).horizons(body), default=None)


def _body(function: FunctionType) -> ast.AST | None:
    code = function.__code__
    if code.co_name != "<lambda>":
        return body_of(code)
    tree = tree_of(code.co_filename)
    names = list(code.co_varnames[: code.co_argcount])
    found = [
        node
        for node in (walk(tree) if tree is not None else ())
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno and [each.arg for each in node.args.args] == names
    ]
    return found[0].body if len(found) == 1 else None


class _Reading:
    """What is known while one function is read: its argument, its own names, and those around it."""

    def __init__(self, function: FunctionType, lengths: Lengths) -> None:
        self.argument = function.__code__.co_varnames[0]
        self.lengths = lengths
        self.around: tuple[Mapping[str, Any], ...] = (_cells(function), _defaults(function), function.__globals__)
        self.linear: dict[str, tuple[float, float]] = {self.argument: (1.0, 0.0)}
        self.numbers: dict[str, float] = {}

    def horizons(self, body: ast.AST) -> Iterator[tuple[int, str]]:
        """Yields, for each division of the argument, the argument at which the quotient is one."""
        nodes = list(walk(body))
        if any(isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod)) and self._uses(node.left) for node in nodes):
            return  # it changes units by itself
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self._bind(node.targets[0].id, node.value)
        exponents = {id(each) for node in nodes if _is_power(node) for each in walk(node)}
        for node in nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and id(node) not in exponents:
                line, number = self._linear(node.left), self._number(node.right)
                if line is None or number is None or number <= 0 or line[0] <= 0:
                    continue
                turn = math.pi if _names_pi(node.left) else 1.0
                steps = (number * turn - line[1]) / line[0]
                if 1 <= steps < 1e9:
                    yield round(steps), ast.unparse(node.right)

    def _uses(self, node: ast.AST) -> bool:
        return any(isinstance(each, ast.Name) and each.id == self.argument for each in walk(node))

    def _bind(self, name: str, value: ast.expr) -> None:
        number = self._number(value)
        line = None if number is not None else self._linear(value)
        if number is not None:
            self.numbers[name] = number
        elif line is not None and name != self.argument:
            self.linear[name] = line

    def _linear(self, node: ast.expr) -> tuple[float, float] | None:
        """Returns factor and summand where an expression is linear in the argument."""
        if isinstance(node, ast.Name):
            return self.linear.get(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and node.func.id in ("float", "int"):
            return self._linear(node.args[0])
        if not isinstance(node, ast.BinOp):
            return None
        left, right = self._linear(node.left), self._linear(node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            number = self._number(node.right)
            if left is not None and number is not None:
                return left[0], left[1] + (number if isinstance(node.op, ast.Add) else -number)
            first = self._number(node.left)
            return (right[0], right[1] + first) if right is not None and first is not None and isinstance(node.op, ast.Add) else None
        if isinstance(node.op, ast.Div):
            number = self._number(node.right)
            return (left[0] / number, left[1] / number) if left is not None and number else None
        if isinstance(node.op, ast.Mult):
            line, number = (left, self._number(node.right)) if left is not None else (right, self._number(node.left))
            return (line[0] * number, line[1] * number) if line is not None and number is not None else None
        return None

    def _number(self, node: ast.expr) -> float | None:
        """Returns the value of plain arithmetic on stored numbers; nothing of the program's is called for it."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, (int, float)) and not isinstance(node.value, bool) else None
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            if isinstance(node, ast.Name) and node.id in self.numbers:
                return self.numbers[node.id]
            value = resolve(node, *self.around)
            return value if value is not UNKNOWN and type(value) in (int, float) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._number(node.operand)
            return -value if value is not None else None
        if isinstance(node, ast.Call):
            return self._called(node)
        return self._computed(node) if isinstance(node, ast.BinOp) else None

    def _called(self, node: ast.Call) -> float | None:
        if not isinstance(node.func, ast.Name) or node.keywords or not node.args:
            return None
        if node.func.id == "len":
            value = resolve(node.args[0], *self.around)
            return len(value) if type(value) in (list, tuple, range, dict) else self.lengths(value)
        function = _EVALUATED.get(node.func.id)
        given = [self._number(each) for each in node.args]
        return function(*given) if function is not None and None not in given else None

    def _computed(self, node: ast.BinOp) -> float | None:
        left, right = self._number(node.left), self._number(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, (ast.Add, ast.Sub)):
            return left + right if isinstance(node.op, ast.Add) else left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, (ast.Div, ast.FloorDiv)) and right:
            return left / right if isinstance(node.op, ast.Div) else left // right
        return None


def _is_power(node: ast.AST) -> bool:
    """What is divided in an exponent sets how fast a rate falls, not where it ends."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Pow)
    name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
    return name in ("exp", "pow")


def _names_pi(node: ast.AST) -> bool:
    return any(getattr(each, "attr", getattr(each, "id", "")) == "pi" for each in walk(node))


def _defaults(function: FunctionType) -> dict[str, Any]:
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(given) : code.co_argcount]
    return dict(zip(names, given, strict=True)) | (function.__kwdefaults__ or {})


def _cells(function: FunctionType) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    return found
