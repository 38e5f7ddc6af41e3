"""Tells where a program means its integers to wrap around: by what it does with the result, which this reads in the source.

A difference modulo 256 is right where it is only compared with zero, where the smaller of two is chosen, where it is read as a
signed number of as many bits, and where a remainder is taken of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensan.core.trees import walk

#: Operators around an arithmetic that say that wrapping is meant, or harmless.
MODULAR = (ast.Mod, ast.BitAnd, ast.BitXor, ast.BitOr, ast.LShift, ast.RShift)
#: Functions that choose between two differences, or compare: only the right one of them is used.
CHOOSING = frozenset({"where", "select", "choose", "minimum", "maximum", "min", "max"})
#: Functions that ask only whether something is zero.
_ASKING = frozenset(
    {"any", "all", "nonzero", "flatnonzero", "argwhere", "count_nonzero", "bool", "logical_or", "logical_and", "logical_not"}
)
_CASTING = frozenset({"astype", "view", "to", "type"})
_SIGNED = frozenset({"int8", "bool", "bool_"})


def meant_around(node: ast.AST) -> bool:
    """Tells whether a node says of the arithmetic within it that it may wrap."""
    if isinstance(node, (ast.Compare, ast.IfExp)):
        return True
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, MODULAR)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.Invert, ast.Not))
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in CHOOSING or name in _ASKING:
        return True
    return name in _CASTING and any(_named(each) in _SIGNED for each in [*node.args, *(item.value for item in node.keywords)])


def meant_names(body: ast.AST) -> frozenset[str]:
    """Returns the names of a function whose values are used, somewhere in it, as ones that may have wrapped.

    That a result is compared with a threshold, or is one choice beside something else, does not say so.
    """
    found: set[str] = set()
    for node in walk(body):
        found.update(each.id for each in _used_so(node) if isinstance(each, ast.Name))
    return frozenset(found | _looked_at_for_wrapping(body))


def _looked_at_for_wrapping(body: ast.AST) -> set[str]:
    """Returns the names of sums that are compared with what was added to: `total < a` asks whether it wrapped."""
    operands: dict[str, set[str]] = {}
    for node in walk(body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=left, right=right)):
                operands.setdefault(name, set()).update(ast.unparse(side) for side in (left, right) if not isinstance(side, ast.Constant))
            case _:
                pass
    return {
        node.left.id
        for node in walk(body)
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and len(node.comparators) == 1
        if ast.unparse(node.comparators[0]) in operands.get(node.left.id, ())
    }


def _used_so(node: ast.AST) -> Iterator[ast.expr]:
    """Yields the expressions that a node takes for numbers that may have wrapped."""
    match node:
        case ast.BinOp() if isinstance(node.op, MODULAR):
            yield node.left
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            yield left
        case ast.Call():
            name = _named(node.func)
            alternatives = node.args[1:] if name == "where" else node.args if name in ("minimum", "maximum", "min", "max") else []
            if len(alternatives) == 2 and all(isinstance(each, ast.Name) for each in alternatives):
                yield from alternatives
            elif (name in _ASKING or name in _CASTING) and meant_around(node):
                yield from [node.func.value, *node.args] if isinstance(node.func, ast.Attribute) else node.args
        case ast.Assign(targets=[ast.Subscript(value=value, slice=ast.Compare())]):
            yield value  # put right afterwards: `d[b > a] = ...`
        case _:
            pass


def unheard(body: ast.AST) -> frozenset[int]:
    """Returns the lines of a function at which NumPy was told to say nothing of an overflow: it is expected there."""
    return frozenset(
        line
        for node in walk(body)
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(_ignores(item.context_expr) for item in node.items)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _ignores(context: ast.expr) -> bool:
    return (
        isinstance(context, ast.Call)
        and _named(context.func) == "errstate"
        and any(
            item.arg in ("over", "all") and isinstance(item.value, ast.Constant) and item.value.value == "ignore"
            for item in context.keywords
        )
    )


def _named(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
