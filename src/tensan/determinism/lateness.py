"""What a program has done before it asked for determinism, and so has done without it, with the line.

That a generator was drawn from is seen by its state; but libraries draw while they are imported, which changes nothing for the program.
So a thing is told only where a line of the program is found, above the call, that did it.
"""

from __future__ import annotations

import ast
import builtins
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any

from tensan.core.sites import is_users, shown_path
from tensan.core.trees import body_of
from tensan.determinism.generators import drawn_from
from tensan.determinism.switches import WORKSPACE, workspace_is_set

#: Functions of the program that are followed into one another.
_DEPTH = 3
#: Methods of a generator that draw nothing.
_QUIET = frozenset({"seed", "getstate", "setstate", "get_state", "set_state"})
_OF_TORCH = frozenset({
    "bernoulli", "multinomial", "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
})  # fmt: skip
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_WORDS = {
    "random": "Python's generator was drawn from",
    "numpy": "NumPy's generator was drawn from",
    "torch": "torch's generator was drawn from",
}

_Test = Callable[[Any], bool]


def lateness(frame: FrameType | None) -> Iterator[str]:
    """Yields what came before the call in a frame, each with its line; asked before any switch is set."""
    drawn = set(drawn_from())
    tests: list[tuple[str, _Test]] = [(_WORDS[name], test) for name, test in _DRAW.items() if name in drawn]
    if _model_is_there():
        tests.insert(0, ("a model was built", _builds))
    told: set[str] = set()
    for words, test in tests:
        where = _first_line(frame, test)
        if where and where not in told:
            told.add(where)
            yield f"{words} at {where}"
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized() and not workspace_is_set():
        yield f"CUDA was initialised without {WORKSPACE}=:4096:8"


# ---- what draws ----


def _draws_from_python(called: Any) -> bool:
    return getattr(called, "__self__", None) is random._inst and called.__name__ not in _QUIET  # type: ignore[attr-defined]


def _draws_from_numpy(called: Any) -> bool:
    numpy = sys.modules["numpy"]
    return getattr(called, "__self__", None) is numpy.random.mtrand._rand and called.__name__ not in _QUIET


def _draws_from_torch(called: Any) -> bool:
    torch = sys.modules["torch"]
    name = getattr(called, "__name__", "")
    return (
        (name in _OF_TORCH and getattr(torch, name, None) is called)
        or getattr(called, "__module__", "") == "torch.nn.init"
        or _builds(called)
    )


def _builds(called: Any) -> bool:
    torch_nn = sys.modules.get("torch.nn")
    return torch_nn is not None and isinstance(called, type) and issubclass(called, torch_nn.Module)


_DRAW: dict[str, _Test] = {"random": _draws_from_python, "numpy": _draws_from_numpy, "torch": _draws_from_torch}


def _model_is_there() -> bool:
    torch_nn = sys.modules.get("torch.nn")
    if torch_nn is None:
        return False
    import gc

    # Of the class alone: to ask the object may run code of whoever made it.
    return any(issubclass(type(thing), torch_nn.Module) and vars(thing).get("_parameters") for thing in gc.get_objects())


# ---- where ----


def _first_line(frame: FrameType | None, test: _Test) -> str:
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            body = _body(frame.f_code)
            names = {**vars(builtins), **frame.f_globals, **frame.f_locals}
            above = (call for call in _calls(body) if (call.end_lineno or 0) < frame.f_lineno)
            line = next((call.lineno for call in above if _does(call, names, test)), None)
            if line is not None:
                return f"{shown_path(frame.f_code.co_filename)}:{line}"
        frame = frame.f_back
    return ""


def _body(code: CodeType) -> list[ast.stmt]:
    found = body_of(code)
    return found.body if isinstance(found, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)) else []


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    """Yields the calls of a body in the order of its lines; what is only defined there is not called."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _NESTED):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _does(call: ast.Call, names: Mapping[str, Any], test: _Test, depth: int = 0) -> bool:
    called = _named(call.func, names)
    if called is None:
        return False
    if test(called):
        return True
    if isinstance(called, FunctionType) and depth < _DEPTH and is_users(called.__code__.co_filename):
        known = {**vars(builtins), **called.__globals__}
        return any(_does(inner, known, test, depth + 1) for inner in _calls(_body(called.__code__)))
    return False


def _named(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Returns what a dotted name stands for; of anything but modules no attribute is asked, since that may run code."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        holder = _named(node.value, names)
        return vars(holder).get(node.attr) if isinstance(holder, type(sys)) else None
    return None
