"""Where the program's own classes are defined. At the script's end its main module no longer names its file, but its code does."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FunctionType

from tensan.core.sites import is_users
from tensan.core.trees import tree_of, walk


def path_of(kind: type) -> str:
    """Returns the file of the user's that a class was defined in, or an empty string."""
    for value in vars(kind).values():
        if isinstance(value, FunctionType) and is_users(value.__code__.co_filename):
            return value.__code__.co_filename
    return ""


def definition_of(kind: type) -> tuple[str, ast.ClassDef] | None:
    """Returns the file and the tree of a class of the user's."""
    path = path_of(kind)
    tree = tree_of(path) if path else None
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            return path, node
    return None


def kept_at(kind: type, name: str) -> tuple[str, ast.stmt | ast.expr] | None:
    """Returns where a class of the user's gives itself an attribute: an assignment, or the registration of a buffer."""
    found = definition_of(kind)
    if found is None:
        return None
    path, definition = found
    for node in walk(definition):
        if _registers(node, name) and isinstance(node, ast.Call):
            return path, node
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Attribute) and target.attr == name for target in targets):
                return path, node
    return None


def _registers(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    named = isinstance(node.args[0], ast.Constant) and node.args[0].value == name
    return named and node.func.attr in ("register_buffer", "register_parameter")


def users_paths(kinds: Iterable[type], more: Iterable[str]) -> list[str]:
    """Returns the files of the user's that some classes are defined in, and others that are known."""
    return list(dict.fromkeys([*more, *(path for kind in kinds if (path := path_of(kind)))]))
