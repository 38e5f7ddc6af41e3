"""Looks at the casts of the code around a model, which have run already, and at how many different values each of them leaves."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.code_scopes import own_parts, times_written
from tensan.adapters.torch.statements import resolve, statements
from tensan.adapters.torch.still_sums import spacing_at
from tensan.adapters.torch.variables import names_of, users_frames
from tensan.adapters.torch.wraparound import CANNOT, evaluate, is_array, quiet
from tensan.core.events.numerics import ValuesCast
from tensan.core.sites import is_users
from tensan.core.trees import body_of, called_name, location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Forwards at which the code around is looked at, scopes and statements of it, casts in all, and calls within calls.
MOST_LOOKS = 1
MOST_SCOPES = 4
MOST_STATEMENTS = 400
MOST_CASTS = 24
MOST_DEEP = 2
#: Values of one array that are compared with each other; those of an array that is computed first.
MOST_VALUES = 4_096
MOST_COMPUTED = 1 << 16
MOST_LISTED = 1 << 18

_LOW = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16}
_LOWER = frozenset({torch.float32, torch.float16, torch.bfloat16})
_MAKING = frozenset({"tensor", "as_tensor", "asarray", "array"})
_MAKING_SINGLE = frozenset({"Tensor", "FloatTensor"})
_STRAIGHT = (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
#: Parts of an expression that may not have run, or not with these names.
_ELSEWHERE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp)


class Cast(NamedTuple):
    """A cast as it is written: the whole, what is cast, and to which type; None for torch's own choice."""

    node: ast.Call
    operand: ast.expr
    dtype: torch.dtype | None


class _Place(NamedTuple):
    """Code that has run, and what its names stand for."""

    body: ast.AST
    path: str
    function: str
    names: Mapping[str, Any]
    world: Mapping[str, Any]


class MergedCasts:
    """The casts of the running functions, of the main module, and of the functions that these have called."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.looks_left = MOST_LOOKS
        self._casts_left = MOST_CASTS
        self._seen: set[tuple[str, int, int]] = set()

    def look(self) -> None:
        """A model is about to run for training."""
        self.looks_left -= 1
        if not self.recorder.watch.wants(ValuesCast):
            self.looks_left = 0
            return
        with quiet():
            frames = list(users_frames(sys._getframe(1), most=MOST_SCOPES))
            for frame in frames:
                code, body = frame.f_code, body_of(frame.f_code)
                if body is not None:
                    function = "" if code.co_name == "<module>" else code.co_name
                    self._look_at(_Place(body, code.co_filename, function, names_of(frame), frame.f_globals), deep=0)
            main = sys.modules.get("__main__")
            path = getattr(main, "__file__", None)
            if isinstance(path, str) and not any(frame.f_code.co_name == "<module>" for frame in frames):
                tree = tree_of(path)
                if tree is not None:
                    self._look_at(_Place(tree, path, "", vars(main), {}), deep=0)

    def _look_at(self, place: _Place, *, deep: int) -> None:
        fixed = frozenset(place.names) if deep else _fixed(place)
        for value in _has_run(place, within_call=deep > 0):
            for node in _calls_in(value):
                if not self._casts_left:
                    return
                cast = cast_of(node, place.names, place.world)
                if cast is not None:
                    self._tell(place, cast, fixed)
                elif deep < MOST_DEEP:
                    inner = _called(node, place, fixed)
                    if inner is not None:
                        self._look_at(inner, deep=deep + 1)

    def _tell(self, place: _Place, cast: Cast, fixed: frozenset[str]) -> None:
        key = (place.path, cast.node.lineno, cast.node.col_offset)
        if key in self._seen or not _is_known(cast.operand, place, fixed):
            return
        dtype = cast.dtype or torch.float32
        try:
            given = _values(evaluate(cast.operand, place.names, place.world))
            if given is None or not given.numel() or torch.finfo(dtype).bits >= _bits(given):
                return
            before = given.unique()
            after = before.to(dtype).unique()
        except CANNOT:
            return
        self._seen.add(key)
        self._casts_left -= 1
        gaps = before.diff().double()
        high = before.double().abs().max()
        self.recorder.watch.emit(
            ValuesCast(
                step=self.recorder.watch.steps,
                made=location(place.path, cast.node, place.function),
                text=ast.unparse(cast.node),
                source=ast.unparse(cast.operand),
                before=str(given.dtype).removeprefix("torch."),
                after=str(dtype).removeprefix("torch."),
                num_values=given.numel(),
                num_before=before.numel(),
                num_after=after.numel(),
                low=float(before[0]),
                high=float(before[-1]),
                gap=float(gaps.median()) if gaps.numel() else 0.0,
                spacing=float(spacing_at(high.reshape(1), dtype)),
            )
        )


def cast_of(node: ast.Call, names: Mapping[str, Any], world: Mapping[str, Any]) -> Cast | None:
    """Returns a call that gives an array a floating type of few digits, or that may do so; None of any other."""
    name = called_name(node)
    if not isinstance(node.func, ast.Attribute):
        return None
    owner = resolve(node.func.value, names, world)
    if owner is torch or (owner is sys.modules.get("numpy") and owner is not None):
        if name in _MAKING_SINGLE and owner is torch and len(node.args) == 1:
            return Cast(node, node.args[0], torch.float32)
        if name not in _MAKING or not node.args:
            return None
        given = next((item.value for item in node.keywords if item.arg == "dtype"), None)
        given = node.args[1] if given is None and len(node.args) > 1 and owner is not torch else given
        if given is None:
            listed = owner is torch and torch.get_default_dtype() is torch.float32 and name in ("tensor", "as_tensor")
            return Cast(node, node.args[0], None) if listed and _is_list(node.args[0], names, world) else None
        dtype = _dtype(given, names, world)
        return Cast(node, node.args[0], dtype) if dtype in _LOWER else None
    if name in _LOW and not node.args:
        return Cast(node, node.func.value, _LOW[name])
    if name not in ("to", "type", "astype"):
        return None
    given = [item.value for item in node.keywords if item.arg == "dtype"] or node.args[:1]
    dtype = _dtype(given[0], names, world) if given else None
    return Cast(node, node.func.value, dtype) if dtype in _LOWER else None


def _is_list(node: ast.expr, names: Mapping[str, Any], world: Mapping[str, Any]) -> bool:
    """Tells whether a name stands for a list of numbers with a fraction, which torch takes for single precision."""
    held = resolve(node, names, world)
    return type(held) is list and len(held) > 0 and type(held[0]) is float


def _dtype(node: ast.expr, names: Mapping[str, Any], world: Mapping[str, Any]) -> torch.dtype | None:
    held = node.value if isinstance(node, ast.Constant) else resolve(node, names, world)
    if isinstance(held, torch.dtype):
        return held
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(held, type):
        return torch.float32 if held is numpy.float32 else torch.float16 if held is numpy.float16 else None
    return {"float32": torch.float32, "float16": torch.float16}.get(held) if isinstance(held, str) else None


def _values(held: Any) -> Any:
    """Returns values taken evenly from an array of one axis or a list of numbers, as a tensor; None of anything else."""
    numpy = sys.modules.get("numpy")
    if type(held) in (list, tuple):
        kinds = set(map(type, held[:MOST_LISTED]))
        if len(held) > MOST_LISTED or not held or not kinds <= {int, float}:
            return None
        return _finite(torch.tensor(held[:: _stride(len(held))], dtype=torch.float64 if float in kinds else torch.int64))
    if not is_array(held):
        return None
    if numpy is not None and isinstance(held, numpy.ndarray):
        if held.dtype.kind not in "iuf" or not held.dtype.isnative or held.ndim == 0 or held.size == 0 or held.size != held.shape[0]:
            return None
        taken = held.reshape(-1)[:: _stride(held.size)]
        return _finite(
            torch.from_numpy(taken.astype("float64" if held.dtype.kind == "f" and held.dtype.itemsize == 8 else held.dtype, copy=True))
        )
    if not isinstance(held, torch.Tensor) or held.dim() == 0 or held.numel() == 0 or held.numel() != held.shape[0]:
        return None
    if held.dtype is torch.bool or held.is_complex() or held.is_meta:
        return None
    return _finite(held.detach().reshape(-1)[:: _stride(held.numel())])


def _finite(values: Any) -> Any:
    return values[values.isfinite()] if values.is_floating_point() else values.clone()


def _stride(size: int) -> int:
    return -(-size // MOST_VALUES)


def _bits(values: Any) -> int:
    return torch.finfo(values.dtype).bits if values.is_floating_point() else 65 if values.dtype is torch.int64 else values.itemsize * 8 + 1


def _bound_once(body: ast.AST) -> frozenset[str]:
    """Returns the names that a function or module binds in one place only, and whose values are not written in place."""
    written = times_written(node for statement, _ in statements(body) for node in own_parts(statement))
    return frozenset(name for name, times in written.items() if times == 1)


def _fixed(place: _Place) -> frozenset[str]:
    """Returns the names of a running function or module that still hold what they held first, those of its module included."""
    own = _bound_once(place.body)
    module = tree_of(place.path)
    return own if module is None or module is place.body else own | (_bound_once(module) - place.names.keys())


def _has_run(place: _Place, *, within_call: bool) -> Iterator[ast.expr]:
    """Yields the right sides of assignments that must have run: those whose names are held, or of a function that has returned."""
    body = place.body
    returns = [node.lineno for node, _ in statements(body) if isinstance(node, (ast.Return, ast.Raise))]
    for count, (statement, chain) in enumerate(statements(body)):
        if count >= MOST_STATEMENTS:
            return
        if not all(isinstance(block, _STRAIGHT) and suite == "body" for block, suite in chain):
            continue
        if within_call:
            if not any(line < statement.lineno for line in returns):
                value = getattr(statement, "value", None) if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)) else None
                if value is not None:
                    yield value
        elif isinstance(statement, ast.Assign):
            targets = [node.id for target in statement.targets for node in walk(target) if isinstance(node, ast.Name)]
            if targets and all(name in place.names for name in targets):
                yield statement.value


def _calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yields the calls in an expression that have run where it has, innermost first."""
    if isinstance(node, _ELSEWHERE):
        return
    for child in ast.iter_child_nodes(node):
        yield from _calls_in(child)
    if isinstance(node, ast.Call):
        yield node


def _is_known(operand: ast.expr, place: _Place, fixed: frozenset[str]) -> bool:
    """Tells whether what is cast is what its names hold now, and cheap to compute again."""
    plain = isinstance(operand, (ast.Name, ast.Attribute))
    for node in walk(operand):
        if isinstance(node, ast.Name):
            held = place.names.get(node.id, place.world.get(node.id))
            if node.id not in fixed and not isinstance(held, ModuleType):
                return False
            if not plain and is_array(held) and held.nbytes > 8 * MOST_COMPUTED:
                return False
    return True


def _called(call: ast.Call, place: _Place, fixed: frozenset[str]) -> _Place | None:
    """Returns the code of one of the program's functions or classes that was called with what names hold, its parameters bound."""
    if not isinstance(call.func, ast.Name) or any(isinstance(item, ast.Starred) for item in call.args):
        return None
    held = place.names.get(call.func.id, place.world.get(call.func.id))
    method = isinstance(held, type)
    function = vars(held).get("__init__") if isinstance(held, type) else held
    if not isinstance(function, FunctionType) or not is_users(function.__code__.co_filename):
        return None
    code = function.__code__
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return None
    body = body_of(code)
    if body is None:
        return None
    parameters = code.co_varnames[method : code.co_argcount]
    given = dict(zip(parameters, call.args, strict=False)) | {item.arg: item.value for item in call.keywords if item.arg}
    rebound = {
        node.id
        for statement, _ in statements(body)
        for node in own_parts(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    names = {}
    for name, node in given.items():
        if name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] and name not in rebound and _is_known(node, place, fixed):
            try:
                names[name] = evaluate(node, place.names, place.world)
            except CANNOT:
                continue
    modules = {name: value for name, value in function.__globals__.items() if isinstance(value, ModuleType) or callable(value)}
    return _Place(body, code.co_filename, code.co_name, names, modules) if names else None
