"""Looks at what the program adds to sums and averages of its own, after a step and between the forwards of an evaluation.

Where such a value is kept in a type of few digits, what is added can be rounded away: then it stands still, and nobody says so.
"""

from __future__ import annotations

import ast
import math
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from tensan.adapters.torch.statements import statement_at
from tensan.adapters.torch.still_sums import Addition, StillSum
from tensan.adapters.torch.trace import PASSING, StorageReference, key_of
from tensan.core.events.numerics import SumObserved
from tensan.core.sites import Site, here
from tensan.core.trees import walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Steps after which it is looked at without knowing whether there is such a sum, and after how many looks no more.
FIRST_LOOKS = 3
MOST_LOOKS = 96
#: Forwards of an evaluation from one look to the next; the first ones have a recorder of their own.
EACH = 16
FIRST_FORWARDS = 32
#: Looks at one evaluation that found no such sum.
FRUITLESS = 2
#: Sums at one place, and elements of each that are looked at.
MOST_SUMS = 16
MOST_ELEMENTS = 256
#: Operations between two steps that are looked at.
MOST_OPERATIONS = 1_000

#: Types of few digits.
LOW = frozenset({torch.bfloat16, torch.float16})
_PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})
_SAME = frozenset({"_to_copy", "clone", "alias", "detach", "view", "copy"})
_ADDING = frozenset({"add_", "sub_", "lerp_"})
_COMPARING = frozenset({"sub", "sub_", "rsub"})


class HeldSums:
    """One look at a time: from a step, or from the end of a forward without gradients, until a model runs again."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._gap: _Gap | None = None
        self._looks = 0
        self._fruitless = 0
        self._forwards = 0
        self._place: str = ""
        self._clock = 0
        self._hooked = False
        self._known: dict[str, dict[tuple[Any, int], StillSum]] = {"step": {}, "forward": {}}

    @property
    def is_open(self) -> bool:
        """Whether a dispatch mode of ours is active."""
        return self._gap is not None

    @property
    def follows(self) -> bool:
        """Whether there are sums that are added to after each step, and that are still looked at."""
        return bool(self._known["step"]) and self._looks < MOST_LOOKS

    # ---- when it looks ----

    def stepped(self) -> None:
        """An optimizer has stepped: what follows, until a model runs, is the program's own keeping of figures and averages."""
        if self._looks < FIRST_LOOKS or (self._known["step"] and self._looks < MOST_LOOKS):
            self._looks += 1
            self._open("step", self.recorder.watch.steps)

    def idle_stepped(self) -> None:
        """An optimizer has stepped, which is not looked at otherwise: sums that are known are, each so many steps."""
        if self._looks < MOST_LOOKS and self.recorder.watch.steps % EACH == 0:
            self.stepped()
            self._hooked = self.is_open
            if self._hooked:
                self.recorder.forwards.add_hooks()  # to hear of the next forward
        elif self._hooked:
            self._hooked = False
            self.recorder.forwards.adjust()

    def entered(self) -> None:
        """A region without gradients begins."""
        self._forwards = self._fruitless = 0
        self._known["forward"] = {}

    def is_due(self) -> bool:
        """Counts a forward without gradients; tells whether what follows is looked at."""
        self._forwards += 1
        due = self._forwards > FIRST_FORWARDS and self._forwards % EACH == 0
        return due and self._fruitless < FRUITLESS and self._forwards <= EACH * MOST_LOOKS

    def returned(self) -> None:
        """A model has run without gradients."""
        self._open("forward", self._forwards)

    def _open(self, place: str, clock: int) -> None:
        recorder = self.recorder
        if recorder.compiled or recorder.failed or not recorder.watch.wants(SumObserved) or _get_current_dispatch_mode() is not None:
            return
        self.close()
        self._place, self._clock = place, clock
        self._gap = _Gap(recorder)
        self._gap.__enter__()

    def close(self) -> None:
        """Something else begins."""
        gap = self.abandon()
        if gap is None:
            return
        self.recorder.watch.budget.charge(gap.spent)
        if gap.failed is not None:
            self.recorder.watch.not_checked(f"sums that the program keeps ({gap.failed})")
            return
        found = [(each.site, addition) for each in gap.sums.values() if each.site is not None and (addition := each.addition()) is not None]
        known, before = {}, self._known[self._place]
        ordinals: dict[Any, int] = {}
        told: dict[Any, list[StillSum]] = {}
        for site, addition in found:
            line = site.key
            ordinal = ordinals[line] = ordinals.get(line, -1) + 1
            if ordinal >= MOST_SUMS:
                continue
            still = before.get((line, ordinal)) or StillSum()
            still.add(addition, clock=self._clock)
            known[line, ordinal] = still
            told.setdefault(line, []).append(still)
        self._known[self._place] = known
        self._fruitless = 0 if known else self._fruitless + 1
        self.recorder.syncs += any(addition.before.is_cuda for _, addition in found)
        sites = {site.key: site for site, _ in found}
        for line, sums in told.items():
            self.recorder.watch.emit(_event(sites[line], sums, step=self.recorder.watch.steps, between=self._place))
        if not told and gap.others is not None:
            site, dtype = gap.others
            self.recorder.watch.emit(SumObserved(step=self.recorder.watch.steps, site=site, dtype=dtype, between=self._place))

    def abandon(self) -> _Gap | None:
        """Looks no further; returns what was looked at."""
        gap, self._gap = self._gap, None
        if gap is not None:
            gap.close()
            self.recorder.forwards.adjust()
        return gap


def _event(site: Site, sums: list[StillSum], *, step: int, between: str) -> SumObserved:
    first = max(sums, key=lambda each: each.num_missed)
    return SumObserved(
        step=step,
        site=site,
        between=between,
        dtype=first.dtype,
        num_sums=len(sums),
        num_elements=sum(each.num_elements for each in sums),
        num_added=sum(each.num_added for each in sums),
        num_missed=sum(each.num_missed for each in sums),
        averaged=any(each.weight for each in sums),
        looks=min(each.looks for each in sums),
        looks_still=first.looks_still,
        span=first.span,
        one_way=all(each.one_way for each in sums),
        value=first.value,
        addend=first.addend,
        spacing=first.spacing,
    )


class _Held:
    """A value that was there before a look began, and what becomes of it."""

    __slots__ = ("after", "before", "dtype", "exact", "site", "spoiled", "weight")

    def __init__(self, before: Any, dtype: str) -> None:
        self.before, self.exact, self.after = before, before, None
        self.dtype = dtype
        self.spoiled, self.weight = False, 0.0
        self.site: Site | None = None

    def addition(self) -> Addition | None:
        if self.spoiled or self.after is None:
            return None
        return Addition(self.before, self.exact, self.after, self.dtype, self.weight)


class _Made(NamedTuple):
    """What a value made during a look is made of: what it would be without rounding, and the values that it began with."""

    exact: Any
    roots: frozenset[Any]
    weight: float


class _Gap(TorchDispatchMode):
    """Hears the operations of one look, and computes those on values of few digits a second time in double precision."""

    def __init__(self, owner: Recorder) -> None:
        super().__init__()
        self.owner = owner
        self.failed: Exception | None = None
        self.others: tuple[Site, str] | None = None
        self.sums: dict[Any, _Held] = {}
        self._made: dict[Any, _Made] = {}
        self._fresh: set[int] = set()
        self._alive: dict[int, StorageReference] = {}
        self._left = MOST_OPERATIONS
        #: Nanoseconds that it took.
        self.spent = 0

    def close(self) -> None:
        """Ends hearing; modes that the program has opened since are lifted for a moment."""
        above: list[Any] = []
        while (mode := _get_current_dispatch_mode()) is not self:
            if mode is None:
                break
            above.append(mode)
            TorchDispatchMode.__exit__(mode, None, None, None)
        else:
            self.__exit__(None, None, None)
        for mode in reversed(above):
            TorchDispatchMode.__enter__(mode)
        self._alive.clear()

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        keywords = kwargs or {}
        if self.owner.busy or self.failed is not None or self._left <= 0 or not args:
            return func(*args, **keywords)
        began = time.perf_counter_ns()
        self._left -= 1
        operands: list[_Operand] | None = None
        try:
            operands = self._read(func, args, keywords)
        except Exception as error:  # noqa: BLE001 - looking must never stop the operation
            self.failed = error
        paused = time.perf_counter_ns()
        output = func(*args, **keywords)
        resumed = time.perf_counter_ns()
        try:
            if operands is not None:
                for operand, made in zip(operands, output if isinstance(output, (list, tuple)) else [output] * len(operands), strict=False):
                    self._compute(operand, made)
            elif self.failed is None and isinstance(output, torch.Tensor) and not func._schema.is_mutable:
                self._is_new(output)
        except Exception as error:  # noqa: BLE001
            self.failed = error
        self.spent += paused - began + time.perf_counter_ns() - resumed + PASSING
        return output

    def _read(self, func: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[_Operand] | None:
        """Returns what an operation is about to do to values of few digits; None where it touches none."""
        name = func._schema.name.removeprefix("aten::")
        each = name.startswith("_foreach_")
        name = name.removeprefix("_foreach_")
        first = args[0][0] if each and isinstance(args[0], (list, tuple)) and args[0] else args[0]
        if not isinstance(first, torch.Tensor):
            return None
        touched = [first] if each else [item for item in args[:3] if isinstance(item, torch.Tensor)]
        if not any(item.dtype in LOW or (self._made and key_of(item) in self._made) for item in touched):
            kept = name in _ADDING and first.is_floating_point() and key_of(first)[0] not in self._fresh
            if kept and self.others is None and (site := here(3)) is not None:
                self.others = site, str(first.dtype).removeprefix("torch.")
            return None
        if not each:
            return [self._operand(name, args, keywords)]
        rows = [tuple(item[index] if isinstance(item, (list, tuple)) else item for item in args) for index in range(len(args[0]))]
        return [self._operand(name, row, keywords) for row in rows[:MOST_SUMS]]

    def _operand(self, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> _Operand:
        """Returns an operation on one value, and what it gives without rounding where that can be told."""
        target, plain = args[0], name.removesuffix("_")
        exact, weight = None, 0.0
        roots: frozenset[Any] = frozenset()
        if all(type(item) in _PLAIN for item in args if isinstance(item, torch.Tensor)):
            values = []
            for place, item in enumerate(args):
                if not isinstance(item, torch.Tensor):
                    values.append(item)
                    continue
                fits = item.numel() == 1 or item.shape == target.shape
                made = self._value(item) if fits else _Made(None, frozenset(), 0.0)
                values.append(made.exact)
                if name != "copy_" or place:
                    roots, weight = roots | made.roots, weight or made.weight
            if not any(value is None and isinstance(item, torch.Tensor) for value, item in zip(values, args, strict=True)):
                exact = _exact(plain, values, keywords)
            weight = weight or _weight(plain, args)
        return _Operand(name, target, key_of(target), exact, roots, weight, args)

    def _value(self, tensor: Any) -> _Made:
        """Returns what a value would be without rounding, and what it is made of."""
        key = key_of(tensor)
        if key in self._made:
            return self._made[key]
        if key in self.sums:
            held = self.sums[key]
            return _Made(held.exact, frozenset({key}), held.weight)
        sample = _sample(tensor)
        if sample is not None and tensor.dtype in LOW and key[0] not in self._fresh:
            self.sums[key] = _Held(sample, str(tensor.dtype).removeprefix("torch."))
            self._keep(tensor, key)
            return _Made(sample, frozenset({key}), 0.0)
        return _Made(sample, frozenset(), 0.0)

    def _keep(self, tensor: Any, key: Any) -> None:
        if key[0] >= 0 and key[0] not in self._alive:
            self._alive[key[0]] = StorageReference(tensor)  # keeps the address from being used again, and not the memory

    def _is_new(self, tensor: Any) -> None:
        key = key_of(tensor)
        if key[0] not in self._alive:
            self._keep(tensor, key)
            self._fresh.add(key[0])

    def _compute(self, operand: _Operand, output: Any) -> None:
        """Notes what an operation has done, and what it would have done without rounding."""
        if operand.name in _COMPARING:
            self._compared(operand)
        if operand.name.endswith("_"):
            held = self.sums.get(operand.key)
            if held is not None:
                self._written(operand, held)
            elif operand.exact is not None and operand.key in self._made:
                self._made[operand.key] = _Made(operand.exact, operand.roots, operand.weight)
            else:
                self._made.pop(operand.key, None)
            return
        if not isinstance(output, torch.Tensor) or not output.is_floating_point():
            return
        key = key_of(output)
        if key in self.sums:
            return
        if operand.name not in _SAME:
            self._is_new(output)
        if operand.exact is not None:
            self._keep(output, key)
            self._made[key] = _Made(operand.exact, operand.roots, operand.weight)
            if operand.name in ("add", "sub") and output.dtype in LOW:
                self._assigned(operand, output)

    def _compared(self, operand: _Operand) -> None:
        """Notes that something is taken off what a sum has become: who keeps what was rounded away finds it so."""
        for root in operand.roots:
            if self.sums[root].after is not None and root != operand.key:
                self.sums[root].spoiled = True

    def _written(self, operand: _Operand, held: _Held) -> None:
        """Notes that a sum was written in place."""
        if operand.exact is None or operand.key not in operand.roots:
            held.spoiled = True  # it is something else from here on
            return
        held.exact, held.weight, held.after = operand.exact, operand.weight, _sample(operand.target)
        if operand.name in _ADDING or operand.name == "copy_":
            held.site = here(4)

    def _assigned(self, operand: _Operand, output: Any) -> None:
        """Notes a sum that takes the place of what it was added to: `total = total + loss`."""
        site = here(5)
        side = added_to(site) if site is not None else None
        if side is None or side >= len(operand.args) or not isinstance(operand.args[side], torch.Tensor):
            return
        key = key_of(operand.args[side])
        made = self._made.get(key)
        root = next(iter(made.roots)) if made is not None and len(made.roots) == 1 else key
        held = self.sums.get(root)
        if held is not None and held.after is None and output.shape == operand.args[side].shape:
            weight = made.weight if made is not None else 0.0
            held.exact, held.after, held.weight, held.site = operand.exact, _sample(output), weight, site


class _Operand(NamedTuple):
    """One operation on a value."""

    name: str
    target: Any
    key: Any
    exact: Any
    roots: frozenset[Any]
    weight: float
    args: tuple[Any, ...]


def _sample(tensor: Any) -> Any:
    """Returns a copy of the first elements in double precision; None where that would cost much."""
    tensor = tensor.detach()
    if tensor.layout is not torch.strided or tensor.is_meta or tensor.is_complex() or tensor.is_quantized:
        return None
    if not tensor.is_contiguous() and tensor.numel() > 16 * MOST_ELEMENTS:
        return None
    return tensor.reshape(-1)[:MOST_ELEMENTS].to(torch.float64, copy=True)


def _exact(name: str, values: list[Any], keywords: dict[str, Any]) -> Any:
    """Returns what an operation gives without rounding; None of one that cannot be followed."""
    first, *rest = values
    if name in _SAME:
        return rest[0] if name == "copy" and rest else first
    if not rest or any(isinstance(value, (list, tuple)) for value in values) or keywords.keys() - {"alpha", "weight"}:
        return None
    alpha = keywords.get("alpha", rest[1] if name in ("add", "sub") and len(rest) > 1 else 1)
    if name == "add":
        return first + alpha * rest[0]
    if name == "sub":
        return first - alpha * rest[0]
    if name == "mul":
        return first * rest[0]
    if name == "div":
        return first / rest[0]
    weight = keywords.get("weight", rest[1] if len(rest) > 1 else None)
    return first + weight * (rest[0] - first) if name == "lerp" and weight is not None else None


def _weight(name: str, args: tuple[Any, ...]) -> float:
    """Returns how far an average goes in one step, or 0; not a number where it is scaled by what cannot be told."""
    number = args[-1] if len(args) > 1 else None
    if name not in ("lerp", "mul", "div"):
        return 0.0
    if not isinstance(number, (int, float)) or name == "div":
        return math.nan
    return float(number) if name == "lerp" else abs(1.0 - number)


def added_to(site: Site) -> int | None:
    """Returns which operand of a sum is what the statement at a place assigns to; None where it is neither.

    It is 0 for `total = total + loss`, and 1 for `average = 0.1 * new + 0.9 * average`.
    """
    found = statement_at(site.code, site.key[1])
    statement = found[0] if found is not None else None
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, (ast.Add, ast.Sub)):
        return 0
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not isinstance(statement.value, ast.BinOp):
        return None
    target, value = ast.unparse(statement.targets[0]), statement.value
    if not isinstance(value.op, (ast.Add, ast.Sub)):
        return None
    sides = [any(isinstance(node, ast.expr) and ast.unparse(node) == target for node in walk(side)) for side in (value.left, value.right)]
    return sides.index(True) if sum(sides) == 1 and (sides[0] or isinstance(value.op, ast.Add)) else None
