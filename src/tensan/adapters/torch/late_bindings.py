"""Finds functions that a loop of the program has made, one in each turn, and that all read the loop's variable when they are called."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tensan.core.sites import Location, is_users
from tensan.core.trees import location, tree_of, walk

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class LateBinding(NamedTuple):
    """Functions of one piece of code that read one variable.

    Attributes:
        name: of the variable; read: where the function reads it; loop: where the loop gives it a value.
        functions: how many there are.
    """

    name: str
    read: Location
    loop: Location
    functions: int


def late_binding(functions: Sequence[Any]) -> LateBinding | None:
    """Returns the first variable that several functions share though the loop that made them gave it another value for each."""
    by_code: defaultdict[CodeType, list[FunctionType]] = defaultdict(list)
    for function in functions:
        if isinstance(function, FunctionType) and is_users(function.__code__.co_filename):
            by_code[function.__code__].append(function)
    for code, made in by_code.items():
        if len({id(function) for function in made}) > 1:
            for node, loop in _definitions(code):
                for name in _varied(loop, node):
                    read = next((each for each in walk(node) if _reads(each, name)), None)
                    if read is not None and _is_shared(made, name):
                        path = code.co_filename
                        head = loop.generators[0].target if isinstance(loop, _COMPREHENSIONS) else loop.target
                        return LateBinding(name, location(path, read, code.co_name), location(path, head), len(made))
    return None


def _is_shared(functions: Sequence[FunctionType], name: str) -> bool:
    """Tells whether functions read one and the same variable of that name: a cell of theirs, or a global name."""
    code = functions[0].__code__
    if name in code.co_freevars:
        place = code.co_freevars.index(name)
        return len({id(function.__closure__[place]) for function in functions if function.__closure__}) == 1
    return name in code.co_names and name in functions[0].__globals__


def _definitions(code: CodeType) -> Iterator[tuple[ast.AST, Any]]:
    """Yields where the source defines a function of that code inside a loop, with the loop."""
    tree = tree_of(code.co_filename)
    for loop in walk(tree) if tree is not None else ():
        if isinstance(loop, (ast.For, *_COMPREHENSIONS)):
            for node in walk(loop):
                if isinstance(node, _FUNCTIONS) and _is_of(node, code):
                    yield node, loop


def _is_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, code: CodeType) -> bool:
    arguments = node.args
    named = tuple(each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    count = code.co_argcount + code.co_kwonlyargcount
    return first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name and named == code.co_varnames[:count]


def _varied(loop: Any, function: ast.AST) -> list[str]:
    """Returns the names to which each turn of a loop gives another value: its own variables, and what is computed from them."""
    if isinstance(loop, _COMPREHENSIONS):
        return [name for generator in loop.generators for name in _stored(generator.target)]
    varied = list(_stored(loop.target))
    inside = set(walk(function))
    for statement in loop.body:
        for node in walk(statement):
            if (
                isinstance(node, ast.Assign)
                and node not in inside
                and any(_reads(each, name) for name in varied for each in walk(node.value))
            ):
                varied += [name for target in node.targets for name in _stored(target) if name not in varied]
    return varied


def _stored(target: ast.AST) -> Iterator[str]:
    return (node.id for node in walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
