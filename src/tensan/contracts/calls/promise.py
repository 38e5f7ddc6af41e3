"""All that is promised of the calls of one function, and the checks before and after each."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tensan.contracts.calls import annotations, tracing, triggers
from tensan.contracts.calls.arrays import Item, arrays_of, axes_of, miscomputed, mismatch
from tensan.contracts.calls.axes import Bindings
from tensan.contracts.calls.policy import Switch
from tensan.contracts.calls.text import Reader
from tensan.contracts.calls.triggers import Condition, Raises, names_of
from tensan.contracts.calls.values import Values, follow
from tensan.contracts.naming import declare_promised
from tensan.core import declared
from tensan.core.errors import UsageError

RESULT = "return"
#: As it is written, the argument that it begins with, the attributes below that.
Path = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a decorator was given."""

    text: str = ""
    ranges: Mapping[str, tuple[float, float]] | None = None
    finite: str | Iterable[str] = ()
    grad: Mapping[str, bool] | None = None
    raises: Raises | None = None


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised of the calls of one function.

    Attributes:
        label: what the function is called in messages.
        switch: what is made of a broken promise.
        inputs: what each argument must be.
        result: what the result must be, None where nothing is promised.
        given: names of axes whose sizes are numbers among the arguments: the name, the argument, the attributes below it.
        likes: arguments whose types others must have, written in the same way.
        before: what the values of arguments must be.
        after: what the values of the result must be.
        declared: what may be raised; None where nothing is said of it.
        names: names of the module of the function, for conditions.
        computed: whether an axis of an argument is computed.
    """

    label: str
    switch: Switch
    inputs: tuple[tuple[str, Item], ...]
    result: Item | None
    given: tuple[Path, ...]
    likes: tuple[Path, ...]
    before: tuple[Values, ...]
    after: tuple[Values, ...]
    declared: tuple[Condition, ...] | None
    names: dict[str, Any]
    computed: bool

    @property
    def needed(self) -> tuple[str, ...]:
        """The arguments that are looked at before a call."""
        roots = (
            [name for name, _ in self.inputs]
            + [root for _, root, _ in (*self.given, *self.likes)]
            + [_root(value.path) for value in self.before]
        )
        return tuple(dict.fromkeys(roots))

    def enter(self, arguments: dict[str, Any]) -> Bindings:
        """Checks the arguments of a call, and returns what the names of axes stand for in it."""
        bindings = Bindings()
        for path in self.given:
            size = self._at(path, arguments)
            if type(size) is int:
                bindings.bind(path[0], size, path[1])
        for path in self.likes:
            dtype = getattr(self._at(path, arguments), "dtype", None)
            if dtype is not None:
                bindings.dtypes[path[0]] = dtype
        for name, item in self.inputs:
            if wrong := mismatch(item, arguments[name], name, bindings):
                self._broken(wrong)
        if self.computed:
            for name, item in self.inputs:
                if wrong := miscomputed(item, arguments[name], name, bindings):
                    self._broken(wrong)
        if self.before:
            self._values(self.before, arguments)
        if declared.wanted() and not tracing.compiling():
            for name, item in self.inputs:
                declare_promised(item, arguments[name])
        return bindings

    def leave(self, bindings: Bindings, result: Any) -> Any:
        """Checks the result of a call, and returns it."""
        if self.result is not None:
            wrong = mismatch(self.result, result, RESULT, bindings) or miscomputed(self.result, result, RESULT, bindings)
            if wrong:
                self._broken(wrong)
            elif declared.wanted() and not tracing.compiling():
                declare_promised(self.result, result)
        if self.after:
            self._values(self.after, {RESULT: result})
        return result

    def escaped(self, error: Exception, arguments: dict[str, Any]) -> None:
        """Checks that an exception that comes out was declared."""
        if wrong := triggers.undeclared(error, self.declared or (), arguments, self.names):
            self._broken(wrong, error)

    def _at(self, path: Path, arguments: dict[str, Any]) -> Any:
        written, root, steps = path
        try:
            return follow(arguments[root], steps)
        except (LookupError, AttributeError, TypeError) as error:
            raise UsageError(f"contract of {self.label}: {written}: {error}") from error

    def _values(self, promised: tuple[Values, ...], arguments: dict[str, Any]) -> None:
        if tracing.compiling():
            tracing.say_traced(self.label)
            return
        for values in promised:
            root, *steps = values.path.split(".")
            try:
                array = follow(arguments[root], tuple(steps))
            except (LookupError, AttributeError, TypeError) as error:
                self._broken(f"{values.path}: not there: {type(error).__name__}: {error}")
                continue
            if array is None:
                continue
            if tracing.traced(array):
                tracing.say_traced(self.label)
            elif wrong := values.broken(array):
                self._broken(wrong)

    def _broken(self, wrong: str, cause: BaseException | None = None) -> None:
        self.switch.broken(f"{self.label}: {wrong}", cause)


for _check in (Promise.enter, Promise.leave, Promise.escaped):
    # TensorFlow rewrites what a traced function calls; this is how `do_not_convert` says that there is nothing to rewrite.
    vars(_check)["autograph_info__"] = {}


def promise(function: Callable[..., Any], asked: Asked, switch: Switch, *, label: str = "") -> Promise:
    """Returns what a decorator, and the annotations of jaxtyping, promise of a function.

    Raises:
        UsageError: when a text cannot be read, names no argument of the function, or nothing is promised.
    """
    label = (label or getattr(function, "__qualname__", type(function).__qualname__)).rpartition("<locals>.")[2]
    names = _parameters(function, label)
    reader = Reader(asked.text, where=label, names=names)
    written = reader.contract()
    for name, place in written.places.items():
        if name not in names:
            raise reader.error(f"{name} is no argument; there are {', '.join(names) or 'none'}", place)
    annotated = annotations.promised(function, where=label)
    inputs = {name: item for name, item in annotated.items() if name in names} | written.arguments
    result = written.result if written.result is not None else annotated.get(RESULT)
    axes = [axis for item in _items(inputs.values(), result) for axis in axes_of(item)]
    given = _paths((name for axis in axes for name in (axis.needs or (axis.name,))), names)
    for axis, name in _unbound(inputs.values(), result, {name for name, _, _ in given}):
        problem = f"nothing binds {name}: no axis is called so, and no argument"
        raise reader.error(problem, asked.text.find(axis)) if axis in asked.text else UsageError(f"contract of {label}: {axis}: {problem}")
    values = _values(asked, names, label)
    if not (inputs or result is not None or values or asked.raises is not None):
        raise UsageError(f"contract of {label}: nothing is promised: give a text such as 'x: f32[B, T]', jaxtyping annotations, or raises=")
    return Promise(
        label=label,
        switch=switch,
        inputs=tuple((name, inputs[name]) for name in names if name in inputs),
        result=result,
        given=given,
        likes=_paths((array.like for item in _items(inputs.values(), result) for array in arrays_of(item)), names),
        before=tuple(value for value in values if _root(value.path) != RESULT),
        after=tuple(value for value in values if _root(value.path) == RESULT),
        declared=None if asked.raises is None else triggers.conditions(asked.raises, where=label),
        names=names_of(function),
        computed=any(axis.formula is not None for item in inputs.values() for axis in axes_of(item)),
    )


def _items(inputs: Iterable[Item], result: Item | None) -> list[Item]:
    return [*inputs, *([] if result is None else [result])]


def _paths(written: Iterable[str], names: tuple[str, ...]) -> tuple[Path, ...]:
    """Returns those that begin with an argument."""
    found = dict.fromkeys(text for text in written if _root(text) in names)
    return tuple((text, _root(text), tuple(text.split(".")[1:])) for text in found)


def _unbound(inputs: Iterable[Item], result: Item | None, given: set[str]) -> Iterator[tuple[str, str]]:
    """Yields axes, with a name in each, that could never be checked: nothing gives that name a size, or only what comes later does."""
    known = set(given)
    for items in (list(inputs), [] if result is None else [result]):
        axes = [axis for item in items for axis in axes_of(item)]
        known |= {axis.name for axis in axes if "." not in axis.name}
        yield from ((axis.text, name) for axis in axes for name in (axis.needs or (axis.name,)) if name not in known)


def _values(asked: Asked, names: tuple[str, ...], label: str) -> tuple[Values, ...]:
    ranges, grad = dict(asked.ranges or {}), dict(asked.grad or {})
    finite = (asked.finite,) if isinstance(asked.finite, str) else tuple(asked.finite)
    for option, paths in (("ranges", ranges), ("finite", finite), ("grad", grad)):
        for path in paths:
            if _root(path) not in (*names, RESULT):
                raise UsageError(f"contract of {label}: {option}: {path!r} is no argument; there are {', '.join((*names, RESULT))}")
    found = []
    for path in dict.fromkeys((*ranges, *finite, *grad)):
        low, high = _range(ranges.get(path, (-math.inf, math.inf)), f"contract of {label}: ranges: {path}")
        found.append(Values(path, low, high, path in finite, grad.get(path)))
    return tuple(found)


def _range(limits: Any, where: str) -> tuple[float, float]:
    try:
        low, high = (float(limit) for limit in limits)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{where}: expected two numbers, the least and the most, got {limits!r}") from error
    if not low <= high:
        raise UsageError(f"{where}: the least, {low:g}, is more than the most, {high:g}")
    return low, high


def _parameters(function: Callable[..., Any], label: str) -> tuple[str, ...]:
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(f"contract of {label}: a generator or coroutine has no result when it is called; make a contract of what it calls")
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError) as error:
        raise UsageError(f"contract of {label}: {error}; wrap it in a function with named arguments") from error


def _root(path: str) -> str:
    return path.partition(".")[0]
