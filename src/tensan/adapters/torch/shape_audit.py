"""Traces the shapes in a model on a copy that holds no values, and tries by other sizes which axes of the example are free."""

from __future__ import annotations

import copy
import inspect
import logging
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from fractions import Fraction
from typing import Any, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeCopyMode, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

from tensan.adapters.torch.random_states import random_states, set_random_states
from tensan.adapters.torch.shape_bridge import bridge_of
from tensan.adapters.torch.shape_run import Seen, ShapeRun, name_of, num_parameters
from tensan.core.audited import Audited, Call
from tensan.core.errors import UsageError

Place = tuple[int, int]  # which tensor of the example, and which of its axes
#: Parentheses within parentheses, as sympy writes a division that is rounded.
_DOUBLED = re.compile(r"\((\((?:[^()]|\([^()]*\))*\))\)")


class _Axis(NamedTuple):
    symbol: str
    places: list[Place]
    size: int
    other: int
    run: ShapeRun

    @property
    def bound(self) -> str:
        return "" if self.other > self.size else ", more fails"


class _FixedByExportError(Exception):
    """An axis is one size to torch.export, though the model runs with others."""


class _Wrapped(torch.nn.Module):
    """The copy with its example as two arguments, whatever the signature, watched while it runs."""

    def __init__(self, model: torch.nn.Module, run: ShapeRun) -> None:
        super().__init__()
        self.model = model
        self._run = run

    def forward(self, args: Any, kwargs: Any) -> Any:
        with self._run:
            return self.model(*args, **kwargs)


def examine(model: torch.nn.Module, example: Any) -> Audited:
    """Returns what `tensan.shapes.audit` tells."""
    states, log = random_states(), logging.getLogger("torch._subclasses.fake_tensor")
    speaks, log.disabled = log.disabled, True  # it would print each size that does not fit
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _Examination(model, example).result()
    finally:
        log.disabled = speaks
        set_random_states(states)


class _Examination:
    def __init__(self, model: torch.nn.Module, example: Any) -> None:
        if isinstance(model, torch.jit.ScriptModule):
            raise UsageError(
                "tensan.shapes.audit: model: a ScriptModule is not allowed, it cannot be watched; give the module it is made from"
            )
        given = ((), example) if isinstance(example, dict) else (example if isinstance(example, tuple) else (example,), {})
        self._model, self._given, self._fake = model, given, True
        self._names, leaves = _named(model, given)
        self._sizes = {(number, axis): size for number, leaf in leaves.items() for axis, size in enumerate(leaf.shape)}
        self._whole = {number for number, leaf in leaves.items() if not leaf.is_floating_point()}  # such as numbers of tokens
        self._ranks = {number: leaf.dim() for number, leaf in leaves.items()}
        if not leaves:
            raise UsageError(f"tensan.shapes.audit: example: {type(example).__name__} holds no tensor; allowed: a tensor, a tuple, a dict")

    def result(self) -> Audited:
        base, why = self._run({}), ""
        if base.failed:
            why, self._fake = f"a copy without values cannot run ({base.failed})", False
            base = self._run({})
        if base.failed:
            raise UsageError(f"tensan.shapes.audit: example: the model cannot take it: {base.failed}{self._remedy(base)}")
        axes, findings = self._axes()
        unused = {number for number, leaf in enumerate(base.kept[1]) if isinstance(leaf, torch.Tensor) and id(leaf) not in base.read}
        calls: list[Call] = []
        given: list[str] = []
        returned: list[int | None] = []
        if self._fake:
            try:
                calls, unused, given, returned = self._exported(axes)
            except _FixedByExportError as error:
                why = f"torch.export {error}"
            except Exception as error:  # noqa: BLE001 - whatever it was, the copies tell
                why = f"torch.export cannot take the model ({_line(error)})"
        if why:
            calls = [_call(seen, str) for seen in _by_other_sizes(base.calls, axes)]
            given, returned = [_shown(shape, str) for shape in _given_by_other_sizes(base.given, axes)], base.returned
            kind = "without values" if self._fake else "with values"
            why += f"; the symbols come from runs of copies {kind} with other sizes"
        findings += [f"no output depends on the values of {self._names[number]}" for number in sorted(unused & self._names.keys())]
        findings += _unused_layers(base)
        findings += [f"{path or 'the model'} ({kind}) returns a container {what}" for path, (kind, what) in base.containers.items()]
        if any(size == 1 for (_, axis), size in self._sizes.items() if axis == 0):
            findings.append("a first axis of the example has one row: whether it is free is not known, give two or more")
        return Audited(
            calls=calls,
            axes={axis.symbol: f"{self._where(axis.places)} ({axis.size} in the example{axis.bound})" for axis in axes},
            findings=findings,
            note=why,
            parameters=num_parameters(self._model),
            given=dict(zip(self._names.values(), given, strict=False)),
            returned=tuple(returned),
        )

    def _copy(self, sizes: dict[Place, int]) -> tuple[Any, torch.nn.Module, list[Any], Any]:
        """Returns a copy of the model and of the example, grown or cut along axes; a copy without values comes with its mode."""
        mode: Any = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()) if self._fake else nullcontext()
        try:
            with FakeCopyMode(mode) if self._fake else nullcontext():
                memo: dict[int, Any] = {}
                model = copy.deepcopy(self._model, memo)
                given = pytree.tree_map(lambda leaf: copy.deepcopy(_loose(leaf, fake=self._fake), memo), self._given)
        except Exception as error:
            raise UsageError(f"tensan.shapes.audit: model: {type(self._model).__name__} cannot be copied: {_line(error)}") from error
        leaves, spec = pytree.tree_flatten(given)
        with mode:
            for (number, axis), size in sizes.items():
                chosen = torch.arange(size, device=leaves[number].device) % leaves[number].shape[axis]
                leaves[number] = leaves[number].detach().index_select(axis, chosen)
        return mode, model, leaves, spec

    def _run(self, sizes: dict[Place, int]) -> ShapeRun:
        mode, model, leaves, spec = self._copy(sizes)
        run = ShapeRun(model)
        if not sizes:
            run.kept = model, leaves
        args, kwargs = pytree.tree_unflatten(leaves, spec)
        try:
            with mode, run:
                model(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - it is what the run tells
            run.failed = _line(error)
        return run

    def _remedy(self, failed: ShapeRun) -> str:
        """Returns what would make the layer fit that a run failed in, where a copy with it runs to its end."""
        bridge = bridge_of(failed)
        if bridge is None:
            return ""
        mode, model, leaves, spec = self._copy({})
        args, kwargs = pytree.tree_unflatten(leaves, spec)
        try:
            with mode:
                bridge.stands_in(model)
                model(*args, **kwargs)
        except Exception:  # noqa: BLE001 - that it does not run either is what was to be found out
            return f"; {bridge}"
        return f"; {bridge}: with {bridge.written} before it the model runs"

    def _axes(self) -> tuple[list[_Axis], list[str]]:
        """Returns the axes that are free, and a sentence for each that looks free and is not.

        What has one size is one axis: first where it also stands at one place, then anywhere, at last each alone. It is free where
        twice the size will do, or both neighbours (a pooling may round one of them to what a layer behind asks for), or anything less.
        """
        axes: list[_Axis] = []
        failed: dict[Place, list[tuple[int, ShapeRun]]] = {}
        left = [place for place, size in self._sizes.items() if size > 1]
        for key in (lambda place: (place[1], self._sizes[place]), lambda place: self._sizes[place], lambda place: place):
            groups: dict[Any, list[Place]] = {}
            for place in left:
                groups.setdefault(key(place), []).append(place)
            for places in groups.values():
                size = self._sizes[places[0]]
                for others in ((2 * size,), (size + 1, size - 1), (size - 1, size // 2)):
                    runs = [(other, self._run(dict.fromkeys(places, other))) for other in others]
                    if not any(run.failed for _, run in runs):
                        axes.append(_Axis(self._symbol(places[0], {axis.symbol for axis in axes}), places, size, *runs[0]))
                        left = [place for place in left if place not in places]
                        break
                    for place in places if len({axis for _, axis in places}) == 1 else ():  # else it may have failed for another axis
                        failed.setdefault(place, []).extend(run for run in runs if run[1].failed)
        findings = []
        for place in left:
            if not any(run.takes(other, features=self._features(place)) for other, run in failed[place]):
                other, run = failed[place][0]
                where = (run.open[-1].path if run.open else "") or "the model"
                fixed = f"{self._where([place])} is fixed to {self._sizes[place]}"
                findings.append(f"{fixed}: with {other}, {where} raises {run.failed}")
        return axes, findings

    def _symbol(self, place: Place, taken: set[str]) -> str:
        rank = self._ranks[place[0]]
        symbol = ("BCHWD" if rank > 3 else "BTL")[place[1]] if place[1] < (5 if rank > 3 else 3) else "N"
        return next(name for number in range(1, 99) if (name := f"{symbol}{number if number > 1 else ''}") not in taken)

    def _features(self, place: Place) -> bool:
        """Whether an axis has the place of features, the last one, or of the channels of images."""
        number, axis = place
        return axis > 0 and number not in self._whole and (axis == self._ranks[number] - 1 or (axis == 1 and self._ranks[number] > 3))

    def _where(self, places: Sequence[Place]) -> str:
        return ", ".join(f"{self._names[number]} axis {axis}" for number, axis in places)

    def _exported(self, axes: list[_Axis]) -> tuple[list[Call], set[int], list[str], list[int | None]]:
        """Returns the calls with symbols as torch.export finds them, tensors that reach no output, inputs, and what made the outputs."""
        mode, model, leaves, spec = self._copy({})
        dynamic: list[Any] = [{} if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
        for number, axis in (place for free in axes for place in free.places):
            dynamic[number][axis] = torch.export.Dim.AUTO
        run = ShapeRun(model)
        with mode:
            program = torch.export.export(
                _Wrapped(model, run),
                pytree.tree_unflatten(leaves, spec),
                dynamic_shapes=pytree.tree_unflatten(dynamic, spec),
                strict=False,
            )
        nodes = {node.name: node for node in program.graph.nodes}
        holders = [nodes[name] if isinstance(name, str) and name in nodes else None for name in program.graph_signature.user_inputs]
        names: dict[str, str] = {}
        for free in axes:
            for number, axis in free.places:
                holder = holders[number]
                symbol = str(holder.meta["val"].shape[axis]) if holder is not None else ""
                if not re.fullmatch(r"s\d+", symbol):
                    where, size = self._where([(number, axis)]), symbol or free.size
                    raise _FixedByExportError(f"fixes {where} to {size}, but the model runs with {free.other}")
                names.setdefault(symbol, free.symbol)
        reached, to_do = set(), [node for node in program.graph.nodes if node.op == "output"]
        while to_do:
            node = to_do.pop()
            reached.add(node)
            to_do += [source for source in node.all_input_nodes if source not in reached]
        unused = {number for number, holder in enumerate(holders) if holder is not None and holder not in reached}

        def text(size: Any) -> str:
            named = re.sub(r"\bs\d+\b", lambda symbol: names.get(symbol[0], symbol[0]), str(size))
            return _DOUBLED.sub(r"\1", named)

        return [_call(seen, text) for seen in run.calls], unused, [_shown(shape, text) for shape in run.given], run.returned


def _by_other_sizes(calls: list[Seen], axes: list[_Axis]) -> Iterator[Seen]:
    """Yields the calls with each size as it follows from how it grew; as it is where a run took another course."""
    grown = [axis for axis in axes if [seen[:2] for seen in axis.run.calls] == [seen[:2] for seen in calls]]
    for number, seen in enumerate(calls):
        others = [axis.run.calls[number] for axis in grown]
        inputs = [_told(shape, [other.inputs[place] for other in others], grown) for place, shape in enumerate(seen.inputs)]
        outputs = {name: _told(shape, [other.outputs.get(name, ()) for other in others], grown) for name, shape in seen.outputs.items()}
        yield seen._replace(inputs=inputs, outputs=outputs)


def _given_by_other_sizes(given: list[Any], axes: list[_Axis]) -> list[list[str]]:
    """Returns the shapes of what the model is given in the same way."""
    return [_told(shape, [axis.run.given[place] for axis in axes], axes) for place, shape in enumerate(given)]


def _told(shape: Sequence[int], others: list[Sequence[int]], axes: list[_Axis]) -> list[str]:
    if any(len(other) != len(shape) for other in others):
        return list(map(str, shape))
    return [_law(size, [other[place] for other in others], axes) for place, size in enumerate(shape)]


def _law(size: int, others: list[int], axes: list[_Axis]) -> str:
    moved = [(axis, other) for axis, other in zip(axes, others, strict=True) if other != size]
    if moved and all(other * axis.size == size * axis.other for axis, other in moved):
        factor = Fraction(size, math.prod(axis.size for axis, _ in moved))
        return "*".join([*([] if factor == 1 else [str(factor)]), *(axis.symbol for axis, _ in moved)])
    if len(moved) == 1:
        ((axis, other),) = moved
        slope = Fraction(other - size, axis.other - axis.size)
        offset = size - slope * axis.size
        return f"{'' if slope == 1 else f'{slope}*'}{axis.symbol} {'-' if offset < 0 else '+'} {abs(offset)}"
    return str(size)


def _unused_layers(run: ShapeRun) -> Iterator[str]:
    for path, part in run.kept[0].named_modules():
        own = list(part.parameters(recurse=False))
        if own and not any(id(parameter) in run.read for parameter in own):
            yield f"{path or 'the model'} ({type(part).__name__}): its parameters are never used"


def _named(model: torch.nn.Module, given: tuple[Any, Any]) -> tuple[dict[int, str], dict[int, torch.Tensor]]:
    """Returns what each tensor of the example is called, by the arguments of `forward`, and the tensors."""
    taken = inspect.signature(model.forward).parameters.values()
    positional = [each.name for each in taken if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    names, tensors = {}, {}
    for number, (path, leaf) in enumerate(pytree.tree_flatten_with_path(given)[0]):
        if isinstance(leaf, torch.Tensor):
            first, *rest = map(name_of, path[1:])
            if name_of(path[0]) == "0":
                first = positional[int(first)] if int(first) < len(positional) else f"argument {first}"
            names[number], tensors[number] = ".".join([first, *rest]), leaf
    return names, tensors


def _loose(leaf: Any, *, fake: bool) -> Any:
    """Returns a tensor of the example so that it can be copied: with values only what is no result of an operation can."""
    return leaf.detach() if isinstance(leaf, torch.Tensor) and not fake else leaf


def _call(seen: Seen, text: Any) -> Call:
    return Call(
        path=seen.path,
        kind=seen.kind,
        inputs=tuple(_shown(shape, text) for shape in seen.inputs),
        outputs={name: _shown(shape, text) for name, shape in seen.outputs.items()},
        parameters=int(seen.parameters),
        sources=tuple(seen.sources),
    )


def _shown(shape: Sequence[Any], text: Any) -> str:
    return f"[{', '.join(map(text, shape))}]"


def _line(error: Exception) -> str:
    words = str(error).strip().splitlines()
    return f"{type(error).__name__}: {words[0][:140]}" if words else type(error).__name__
