"""Tells a function that makes data out of nothing but a seed of its own: who seeds and then draws in one place wants the same each time."""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from types import CodeType
from typing import Any

import torch

from tensan.adapters.torch.statements import root_name
from tensan.adapters.torch.variables import users_frames
from tensan.core.trees import body_of, walk

#: What only the training itself calls.
_TRAINING = frozenset({"backward", "zero_grad", "step"})
#: Draws of an order, or of rows: of data that is there already.
_ORDERING = frozenset({"shuffle", "permutation", "permuted", "randperm", "sample", "choice", "choices"})
DRAWING = frozenset(
    {"rand", "randn", "randint", "normal", "uniform", "random", "gauss", "standard_normal", "random_sample", "randrange", "binomial"}
    | {"poisson", "multivariate_normal", "bernoulli", "beta", "exponential", "laplace", "normalvariate", "betavariate"}
)


def makes_data() -> bool:
    """Tells whether the function of the program that is seeding a generator makes data: it draws, is given none, and does not train."""
    frame = next(users_frames(sys._getframe(1)), None)
    if frame is None or not _draws_values(frame.f_code):
        return False
    code, names = frame.f_code, frame.f_locals
    given = [names.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    return not any(_is_data(value) or any(map(_is_data, _stored(value))) for value in given)


@lru_cache(maxsize=256)
def _draws_values(code: CodeType) -> bool:
    function = body_of(code)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    drawn = False
    for node in walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        listed = name == "choice" and isinstance(node.func, ast.Attribute) and root_name(node.func) == "random"
        if name in _TRAINING or (name in _ORDERING and not listed):
            return False
        drawn = drawn or listed or name in DRAWING
    return drawn


def _is_data(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return isinstance(value, (torch.Tensor, torch.nn.Module, list, dict)) or (numpy is not None and isinstance(value, numpy.ndarray))


def _stored(value: Any) -> list[Any]:
    try:
        return list(vars(value).values())[:64]
    except TypeError:
        return []
