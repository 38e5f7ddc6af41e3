"""Finds in the running frames what the program calls the tensors of a recorded step, and what those names hold in a later step."""

from __future__ import annotations

import ast
import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeVar

import torch

from tensan.core.sites import Place, Site, function_of
from tensan.core.trees import tree_of, walk

#: Frames that are looked into, from the innermost one, and entries of one container.
MOST_FRAMES = 16
MOST_ENTRIES = 400
#: In a function that asks for its own names, looking at them could be seen.
_SEES = frozenset({"locals", "vars", "eval", "exec", "dir", "_getframe", "currentframe"})
_OURS = (os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep, os.path.dirname(torch.__file__) + os.sep)
#: What a tensor may be asked for in an argument that is computed again: nothing that draws, writes or runs the program's code.
_HARMLESS = frozenset(
    {
        "to",
        "float",
        "double",
        "half",
        "bfloat16",
        "long",
        "int",
        "view",
        "reshape",
        "flatten",
        "unsqueeze",
        "squeeze",
        "transpose",
        "permute",
        "contiguous",
        "detach",
        "t",
        "cuda",
        "cpu",
    }
)


#: Functions of which some finite arguments have no finite value.
_CAN_FAIL = frozenset(
    {
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "rsqrt",
        "pow",
        "exp",
        "div",
        "divide",
        "reciprocal",
        "std",
        "var",
        "normalize",
        "acos",
        "asin",
        "arccos",
        "arcsin",
        "logit",
    }
)


Node = TypeVar("Node", bound=ast.expr)


class Scope(NamedTuple):
    """A running frame's names."""

    code: CodeType
    names: Mapping[str, Any]
    world: Mapping[str, Any]


def spelled(name: str, keys: Sequence[tuple[str, Any]]) -> str:
    """Returns a name with the keys and attributes behind it, as a program writes them."""
    return name + "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in keys)


class Name(NamedTuple):
    """A way to a tensor: a name in a function, then keys and attributes."""

    code: CodeType
    name: str
    keys: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return spelled(self.name, self.keys)


class Expression(NamedTuple):
    """An argument as it is written at the call of the model."""

    code: CodeType
    node: ast.expr

    def __str__(self) -> str:
        return ast.unparse(self.node)


@contextlib.contextmanager
def scopes() -> Iterator[list[Scope]]:
    """Gives the names of the running frames, innermost first, neither torch's nor ours."""
    found: list[Scope] = []
    copies: list[dict[str, Any]] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and len(found) < MOST_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith(_OURS) and not code.co_filename.startswith("<frozen"):
            optimized = code.co_flags & 0x1
            if not optimized or not _SEES.intersection(code.co_names):
                names = frame.f_locals
                found.append(Scope(code, dict(names), frame.f_globals))
                if optimized and sys.version_info < (3, 13):
                    copies.append(names)  # kept by the frame: what it holds would live on
        frame = frame.f_back
    try:
        yield found
    finally:
        found.clear()
        for names in copies:
            names.clear()


def search(wanted: Mapping[tuple[Any, ...], Any], key_of: Any, where: Sequence[Scope]) -> dict[tuple[Any, ...], Name]:
    """Returns for each key the name under which the tensor can be found."""
    found: dict[tuple[Any, ...], Name] = {}
    for path, tensor in tensors(where):
        key = key_of(tensor)
        if key in wanted and key not in found:
            found[key] = path
    return found


def tensors(where: Sequence[Scope]) -> Iterator[tuple[Name, Any]]:
    """Yields the tensors that names hold, in containers too, the innermost frame's first."""
    for scope in where:
        for name, value in islice(scope.names.items(), MOST_ENTRIES):
            if name.startswith("__"):
                continue
            for keys, tensor in _within(value, 2):
                yield Name(scope.code, name, keys), tensor


def _within(value: Any, depth: int) -> Iterator[tuple[tuple[tuple[str, Any], ...], Any]]:
    kind = type(value)
    if kind in (torch.Tensor, torch.nn.Parameter):
        yield (), value
    elif depth and isinstance(value, dict):
        for key, item in islice(value.items(), 64):
            if isinstance(key, (str, int)):
                for keys, tensor in _within(item, depth - 1):
                    yield (("item", key), *keys), tensor
    elif depth and kind in (list, tuple):
        for key, item in enumerate(value[:64]):
            for keys, tensor in _within(item, depth - 1):
                yield (("item", key), *keys), tensor
    elif depth and not isinstance(value, (type, torch.nn.Module)):
        inside = attributes(value)
        for key, item in islice(inside.items(), 64):
            for keys, tensor in _within(item, depth - 1 if isinstance(item, (list, tuple)) else 0):
                yield (("attribute", key), *keys), tensor


def attributes(value: Any) -> dict[str, Any]:
    """Returns an object's own attributes, without asking the object."""
    try:
        inside = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return inside if type(inside) is dict else {}


def lookup(path: Name, where: Sequence[Scope]) -> Any:
    """Returns what a name holds now, or None."""
    scope = next((scope for scope in where if scope.code is path.code), None)
    if scope is None:
        return None
    value = scope.names.get(path.name)
    for kind, key in path.keys:
        try:
            value = attributes(value).get(key) if kind == "attribute" else value[key]  # pyright: ignore[reportOptionalSubscript]
        except (KeyError, IndexError, TypeError):
            return None
    return value if isinstance(value, torch.Tensor) else None


def argument(place: Place, number: int) -> Expression | None:
    """Returns a call's argument as it is written, by the place of the call."""
    if not isinstance(place, Site):
        return None
    call = node_at(place, ast.Call)
    if call is None or number >= len(call.args) or any(isinstance(item, ast.Starred) for item in call.args[: number + 1]):
        return None
    return Expression(place.code, call.args[number])


def subscript(place: Place) -> Expression | None:
    """Returns what is cut out at a place, such as `x[i : i + 16]`, as it is written there."""
    node = node_at(place, ast.Subscript) if isinstance(place, Site) else None
    return None if node is None else Expression(place.code, node)  # pyright: ignore[reportOptionalMemberAccess,reportAttributeAccessIssue]


def node_at(place: Site, kind: type[Node]) -> Node | None:
    """Returns the part of the program's source that a place covers, where it is of a kind."""
    positions = next(islice(place.code.co_positions(), place.instruction // 2, None), None)
    tree = tree_of(place.code.co_filename)
    if positions is None or tree is None:
        return None
    line, end_line, column, end_column = positions
    for node in walk(tree):
        if isinstance(node, kind) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == (
            line,
            end_line,
            column,
            end_column,
        ):
            return node
    return None


class _RefusedError(Exception):
    pass


def compute(expression: Expression, where: Sequence[Scope]) -> Any:
    """Computes an argument again where that is nothing but indexing and conversion of tensors; otherwise returns None."""
    scope = next((scope for scope in where if scope.code is expression.code), None)
    if scope is None:
        return None
    try:
        value = _value(expression.node, scope)
    except (_RefusedError, KeyError, IndexError, TypeError, ValueError, RuntimeError):
        return None
    return value if isinstance(value, torch.Tensor) else None


def _value(node: ast.AST | None, scope: Scope) -> Any:
    match node:
        case None:
            return None
        case ast.Constant():
            return node.value
        case ast.Name():
            return scope.names[node.id] if node.id in scope.names else scope.world[node.id]
        case ast.Tuple():
            return tuple(_value(item, scope) for item in node.elts)
        case ast.Slice():
            return slice(_value(node.lower, scope), _value(node.upper, scope), _value(node.step, scope))
        case ast.UnaryOp(op=ast.USub()):
            return -_number(_value(node.operand, scope))
        case ast.BinOp():
            return _arithmetic(node.op, _number(_value(node.left, scope)), _number(_value(node.right, scope)))
        case ast.Subscript():
            base = _value(node.value, scope)
            if type(base) not in (torch.Tensor, torch.nn.Parameter, list, tuple, dict):
                raise _RefusedError
            return base[_value(node.slice, scope)]
        case ast.Attribute():
            return attributes(_value(node.value, scope))[node.attr]
        case ast.Call(func=ast.Attribute() as called):
            base = _value(called.value, scope)
            if type(base) is not torch.Tensor or called.attr not in _HARMLESS:
                raise _RefusedError
            keywords = {keyword.arg: _value(keyword.value, scope) for keyword in node.keywords if keyword.arg is not None}
            return getattr(base, called.attr)(*[_value(item, scope) for item in node.args], **keywords)
    raise _RefusedError


def _number(value: Any) -> Any:
    if type(value) not in (int, float):
        raise _RefusedError
    return value


def _arithmetic(operator: ast.operator, left: Any, right: Any) -> Any:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if right:
            return left // right
        case ast.Mod() if right:
            return left % right
    raise _RefusedError


def assignment_before(place: Place, name: str) -> tuple[Place, ast.AST | None]:
    """Returns the last plain assignment to a name above a call in the same function, and its right side."""
    if not isinstance(place, Site):
        return None, None
    tree = tree_of(place.code.co_filename)
    line = place.key[1]
    first = place.code.co_firstlineno
    best: ast.Assign | None = None
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign) and first <= node.lineno <= line and (best is None or node.lineno > best.lineno):
            names = [item for target in node.targets for item in (target.elts if isinstance(target, ast.Tuple) else [target])]
            if any(isinstance(item, ast.Name) and item.id == name for item in names):
                best = node
    if best is None:
        return None, None
    from tensan.core.sites import Location

    return (
        Location(
            path=place.code.co_filename,
            line=best.lineno,
            column=best.col_offset + 1,
            end_line=best.end_lineno or best.lineno,
            end_column=(best.end_col_offset or 0) + 1,
            function=function_of(place.code),
        ),
        best.value,
    )


def is_computed(node: ast.AST) -> bool:
    """Tells whether an expression computes something that can fail on a number: a division, or a call of a function such as log."""
    for part in walk(node):
        if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Div, ast.Pow)):
            return True
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name in _CAN_FAIL:
                return True
    return False
