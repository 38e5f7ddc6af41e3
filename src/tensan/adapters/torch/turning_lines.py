"""Finds the statement that mirrors or turns something, in the functions that make a batch or use it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import CodeType, FunctionType
from typing import Any

from tensan.adapters.torch.code_scopes import own_parts, place_of, statements_of
from tensan.adapters.torch.fetching import reached
from tensan.core.sites import Location, is_users
from tensan.core.trees import body_of, called_name

TURNING = frozenset({"flip", "fliplr", "flipud", "hflip", "vflip", "rot90", "rotate"})


def codes_below(function: FunctionType, dataset: Any) -> list[CodeType]:
    """Returns a data set's function and what of the program's own it calls by name: methods, transforms, other functions."""
    names = function.__code__.co_names
    held = [*vars(type(dataset)).items(), *getattr(dataset, "__dict__", {}).items(), *reached(function)]
    below = [_code_of(value) for name, value in held if name in names]
    return list(dict.fromkeys([function.__code__, *(code for code in below if code is not None and is_users(code.co_filename))]))


def _code_of(value: Any) -> CodeType | None:
    """Returns what runs where something is called: a function, or an object with a method for that."""
    method = value if isinstance(value, FunctionType) else vars(type(value)).get("__call__")
    return method.__code__ if isinstance(method, FunctionType) else None


def turning_line(codes: Sequence[CodeType]) -> Location | None:
    """Returns the first statement of some functions that turns something round."""
    for code in codes:
        body = body_of(code)
        for statement in statements_of(body) if body is not None else ():
            if any(_turns(node) for node in own_parts(statement)):
                return place_of(code, statement)
    return None


def _turns(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return called_name(node) in TURNING
    return isinstance(node, ast.Slice) and isinstance(node.step, ast.UnaryOp) and ast.unparse(node.step) == "-1"
