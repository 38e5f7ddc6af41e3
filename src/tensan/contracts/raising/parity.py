"""The contract-breaking suite: what a module makes of broken inputs as it is, and that it does the same in each mode."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tensan.contracts.raising.inputs import Variant, variants
from tensan.contracts.raising.modes import MODES, Ending, Runner
from tensan.core.faults import ContractViolation

#: The module as it is.
EAGER = "eager"
#: Differences that kernels make by another order of the same sums.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-5


@dataclass(frozen=True, slots=True)
class Case:
    """One input in one mode, to be made a test: `case.check()`.

    Attributes:
        promised: what the module must raise for this input; None where nothing was said.
    """

    variant: Variant
    mode: str
    eager: Runner
    other: Runner
    promised: type[BaseException] | None = None

    def __str__(self) -> str:
        return f"{self.mode}-{self.variant}"

    def told(self) -> str:
        """Returns how the call ends: what it raises, or that it returns, and whether NaN or infinite values come or go in silence."""
        return _told(self.variant, self.other(self.variant.arguments))

    def broken(self) -> str:
        """Returns what the mode does otherwise than the module as it is; of `eager` what it does otherwise than promised; else ""."""
        if self.mode == EAGER:
            return _alone(self.variant, self.eager(self.variant.arguments), self.promised)
        before, after = self.eager(self.variant.arguments), self.other(self.variant.arguments)
        return difference(before, after, same_shapes=self.variant.same_shapes)

    def check(self) -> None:
        """Checks that the mode does what the module does as it is; of `eager`, that it does what was promised.

        Raises:
            tensan.errors.ContractViolation: when it returns where that raises, or other types, shapes or values; of `eager`, when it does
                not raise what was promised, or returns NaN or infinite values though all that went in was finite.
        """
        if wrong := self.broken():
            raise ContractViolation(f"{type(self.eager.module).__name__}, {self.mode}, input {self.variant}: {wrong}")


def breaking(
    module: Any, example: tuple[Any, ...], *, modes: Sequence[str] = MODES, raises: Mapping[str, type[BaseException]] | None = None
) -> list[Case]:
    """Returns the contract-breaking suite of a module: for each broken input and mode one case, for `pytest.mark.parametrize`.

    Args:
        module: a `torch.nn.Module`; it is copied, never changed.
        example: the arguments of a call that succeeds.
        modes: some of `compile`, `fullgraph`, `export`, `trace`, each compared with the module as it is; and `eager`, that one alone.
        raises: what the module as it is promises to raise, by the names of inputs, with wildcards: `{"*:nan": ValueError}`. The first
            that fits counts.

    Raises:
        ValueError: when a mode is unknown, the example is no tuple, or a promise fits no input.
    """
    if unknown := [mode for mode in modes if mode not in (EAGER, *MODES)]:
        raise ValueError(f"breaking: unknown mode {unknown[0]!r}; allowed are {', '.join((EAGER, *MODES))}")
    if not isinstance(example, tuple):
        raise ValueError(f"breaking: example is a {type(example).__name__}; expected a tuple, the arguments of one call")
    eager = Runner(module, example, "eager")
    tried = list(variants(example))
    if idle := [name for name in raises or {} if not any(fnmatchcase(variant.name, name) for variant in tried)]:
        raise ValueError(f"breaking: raises: {idle[0]!r} fits no input; there are {', '.join(variant.name for variant in tried)}")
    runners = [eager if mode == EAGER else Runner(module, example, mode) for mode in modes]
    return [Case(variant, runner.mode, eager, runner, _promised(variant, raises or {})) for runner in runners for variant in tried]


def _promised(variant: Variant, raises: Mapping[str, type[BaseException]]) -> type[BaseException] | None:
    return next((kind for name, kind in raises.items() if fnmatchcase(variant.name, name)), None)


def _alone(variant: Variant, ending: Ending, promised: type[BaseException] | None) -> str:
    """Returns what is wrong with how the module itself ends, "" for nothing."""
    if promised is not None:
        return "" if isinstance(ending.error, promised) else f"{_told(variant, ending)}, though {promised.__name__} was promised"
    if ending.error is not None:
        return ""
    return _told(variant, ending) if _odd(variant.arguments) == 0 < _odd(ending.value) else ""


def _told(variant: Variant, ending: Ending) -> str:
    if ending.error is not None:
        return f"raises {type(ending.error).__name__}"
    given, returned = _odd(variant.arguments), _odd(ending.value)
    if returned:
        return f"returns {returned} NaN or infinite values " + ("as they came in" if given else "though all that went in was finite")
    return "returns finite values, though some that went in were not" if given else "returns"


def _odd(value: Any) -> int:
    """Returns how many NaN or infinite values are in a value."""
    torch = sys.modules["torch"]  # who has a module has imported it

    if isinstance(value, dict):
        return sum(_odd(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return sum(_odd(each) for each in value)
    return int((~torch.isfinite(value)).sum()) if isinstance(value, torch.Tensor) else 0


def difference(before: Ending, after: Ending, *, same_shapes: bool = True) -> str:
    """Returns how a mode's ending differs, "" where it does not, or where the mode openly refuses what it was not made for."""
    if before.error is not None:
        return f"{type(before.error).__name__} is lost: the call returns" if after.error is None else ""
    if after.error is not None:
        # A mode that refuses the module says so itself; one made for other shapes or types may refuse these.
        return ""
    pairs = list(_pairs(before.value, after.value, "output"))
    return next((wrong for where, one, two in pairs if (wrong := _unequal(where, one, two))), "")


def _pairs(one: Any, two: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        for key in one:
            yield from _pairs(one[key], two[key], f"{where}[{key!r}]")
    elif isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)) and len(one) == len(two):
        for place, (left, right) in enumerate(zip(one, two, strict=True)):
            yield from _pairs(left, right, f"{where}[{place}]")
    else:
        yield where, one, two


def _unequal(where: str, one: Any, two: Any) -> str:
    torch = sys.modules["torch"]  # who has a module has imported it

    if not (isinstance(one, torch.Tensor) and isinstance(two, torch.Tensor)):
        return "" if isinstance(one, torch.Tensor) == isinstance(two, torch.Tensor) and one == two else f"{where} is {two!r}, not {one!r}"
    if one.dtype != two.dtype:
        return f"{where} has type {two.dtype}, not {one.dtype}"
    if one.shape != two.shape:
        return f"{where} has shape {list(two.shape)}, not {list(one.shape)}"
    if one.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        return "" if one.equal(two) else f"{where} has other values"
    close = torch.isclose(one.double(), two.double(), rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True)
    return "" if bool(close.all()) else f"{where} has other values: {int((~close).sum())} of {close.numel()} differ"
