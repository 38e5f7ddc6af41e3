"""Finds the places where a program raises: `raise` and `assert` statements, in a file, or in all that a module's forward can come to."""

from __future__ import annotations

import ast
import inspect
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from tensan.core.trees import body_of, tree_of, walk

_ELSEWHERE = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


@dataclass(frozen=True, slots=True, order=True)
class RaiseSite:
    """A statement that raises: its file, first and last line, and its text in one line."""

    path: str
    line: int
    end: int
    text: str

    def __str__(self) -> str:
        return f"{Path(self.path).name}:{self.line}"


def sites_in(path: str) -> tuple[RaiseSite, ...]:
    """Returns all raise sites of a file; a bare `raise`, which passes on what another one raised, is none."""
    tree = tree_of(path)
    return () if tree is None else tuple(sorted(_in_node(path, tree)))


def sites_of(module: Any) -> tuple[RaiseSite, ...]:
    """Returns the raise sites in a module's forward, in those of its parts, and in the functions of the program that they name."""
    found: set[RaiseSite] = set()
    for function in _reached(module):
        node = body_of(function.__code__)
        if node is not None:
            found.update(_in_node(function.__code__.co_filename, node))
    return tuple(sorted(found))


def sites_raised(error: BaseException, sites: Iterable[RaiseSite]) -> set[RaiseSite]:
    """Returns the sites that an exception, and those that led to it, came from."""
    at: set[tuple[str, int]] = set()
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        known = waiting.pop()
        if known is None or id(known) in seen:
            continue
        seen.add(id(known))
        waiting += [known.__cause__, known.__context__]
        link = known.__traceback__
        while link is not None:
            at.add((link.tb_frame.f_code.co_filename, link.tb_lineno))
            link = link.tb_next
    return {site for site in sites if any((site.path, line) in at for line in range(site.line, site.end + 1))}


def _in_node(path: str, node: ast.AST) -> Iterator[RaiseSite]:
    for inner in walk(node):
        if isinstance(inner, ast.Assert) or (isinstance(inner, ast.Raise) and inner.exc is not None):
            yield RaiseSite(path, inner.lineno, inner.end_lineno or inner.lineno, " ".join(ast.unparse(inner).split()))


def _reached(module: Any) -> list[FunctionType]:
    """Returns the program's own functions that the forwards of a module and its parts come to by their names."""
    waiting: list[tuple[FunctionType, type]] = []
    for part in module.modules():
        waiting += _functions(type(part).forward, type(part))
    found: dict[CodeType, FunctionType] = {}
    while waiting:
        function, owner = waiting.pop()
        if function.__code__ in found:
            continue
        found[function.__code__] = function
        names = set(_names(function.__code__))
        values = [function.__globals__.get(name) for name in names] + [getattr(owner, name, None) for name in names]
        values += [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        modules = [value for value in values if isinstance(value, ModuleType)]
        values += [getattr(value, name, None) for value in modules if _is_own(getattr(value, "__file__", None)) for name in names]
        for value in values:
            waiting += _functions(value, owner)
            if isinstance(value, type):
                for name in names:
                    waiting += _functions(inspect.getattr_static(value, name, None), value)
    return list(found.values())


def _functions(value: Any, owner: type) -> list[tuple[FunctionType, type]]:
    """Returns the functions that calling a value runs, where they are the program's own."""
    if isinstance(value, type):
        made = [vars(value).get(name) for name in ("__init__", "__new__", "__post_init__", "__call__")]
        return [pair for each in made for pair in _functions(each, value)]
    if isinstance(value, property):
        return _functions(value.fget, owner)
    if isinstance(value, (staticmethod, classmethod)):
        return _functions(value.__func__, owner)
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, MethodType):
        value = value.__func__
    return [(value, owner)] if isinstance(value, FunctionType) and _is_own(value.__code__.co_filename) else []


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _is_own(path: str | None) -> bool:
    """Tells whether a file belongs to the program: neither to python, nor to a package that is installed, nor to us."""
    ours = str(Path(sys.modules["tensan"].__file__ or "").parent)
    return path is not None and not path.startswith((*_ELSEWHERE, ours, "<"))
