"""The contract-breaking suite: a module meets broken inputs, and must do in each mode what it does as it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tensan.contracts.raising.inputs import Variant, variants
from tensan.contracts.raising.modes import MODES, Ending, Runner
from tensan.core.faults import ContractViolation

#: Differences that kernels make by another order of the same sums.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-5


@dataclass(frozen=True, slots=True)
class Case:
    """One input in one mode, to be made a test: `case.check()`."""

    variant: Variant
    mode: str
    eager: Runner
    other: Runner

    def __str__(self) -> str:
        return f"{self.mode}-{self.variant}"

    def broken(self) -> str:
        """Returns what the mode does otherwise than the module as it is, "" where it does the same."""
        before, after = self.eager(self.variant.arguments), self.other(self.variant.arguments)
        return difference(before, after, same_shapes=self.variant.same_shapes)

    def check(self) -> None:
        """Checks that the mode does what the module does as it is.

        Raises:
            tensan.errors.ContractViolation: when it returns where that raises, or other types, shapes or values.
        """
        if wrong := self.broken():
            raise ContractViolation(f"{type(self.eager.module).__name__}, {self.mode}, input {self.variant}: {wrong}")


def breaking(module: Any, example: tuple[Any, ...], *, modes: Sequence[str] = MODES) -> list[Case]:
    """Returns the contract-breaking suite of a module: for each broken input and mode one case, for `pytest.mark.parametrize`.

    Args:
        module: a `torch.nn.Module`; it is copied, never changed.
        example: the arguments of a call that succeeds.
        modes: some of `compile`, `fullgraph`, `export`, `trace`.

    Raises:
        ValueError: when a mode is unknown, or the example is no tuple.
    """
    if unknown := [mode for mode in modes if mode not in MODES]:
        raise ValueError(f"breaking: unknown mode {unknown[0]!r}; allowed are {', '.join(MODES)}")
    if not isinstance(example, tuple):
        raise ValueError(f"breaking: example is a {type(example).__name__}; expected a tuple, the arguments of one call")
    eager = Runner(module, example, "eager")
    runners = [Runner(module, example, mode) for mode in modes]
    return [Case(variant, runner.mode, eager, runner) for runner in runners for variant in variants(example)]


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
