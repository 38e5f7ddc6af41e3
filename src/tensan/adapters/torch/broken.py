"""Tells of parameters that are not finite though no broken gradient has reached them."""

from __future__ import annotations

import ast
import inspect
import math
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import finite
from tensan.adapters.torch.source import in_definition
from tensan.core.events.numerics import NonfiniteParameter
from tensan.core.sites import Location, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

_MEASURED = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
#: Second moments, as optimizers of torch call them.
_MOMENTS = ("exp_avg_sq", "square_avg", "sum", "exp_inf")


_DIVIDING = frozenset({"div", "div_", "divide", "addcdiv_", "rsqrt", "rsqrt_", "reciprocal"})


class Broken:
    """Looks at an optimizer's parameters once its gradients are broken, after some of its first steps, and at the end of the run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._began: dict[str, frozenset[int]] = {}
        self._finite_at: dict[str, int] = {}
        self._told: set[str] = set()

    def look(self, record: OptimizerRecord) -> None:
        """Tells which parameters have lost their values while all gradients were finite."""
        if not self.recorder.watch.wants(NonfiniteParameter):
            return
        found = _broken(record)
        if record.steps == 0 or record.id not in self._began:  # what begins like this may be meant, until a gradient breaks
            self._began[record.id] = frozenset(id(tensor) for tensor, _ in found)
        found = [(tensor, group) for tensor, group in found if id(tensor) not in self._began[record.id]]
        if found:
            self._tell(record, found, never=False)
        else:
            self._finite_at[record.id] = record.steps

    def parameters(self, record: OptimizerRecord) -> None:
        """A gradient is broken: tells which parameters are where the last step had finite gradients, or where there was none."""
        never = record.steps == 0
        if not self.recorder.watch.wants(NonfiniteParameter) or not (never or record.clean_step == record.steps - 1):
            return
        found = _broken(record)
        if found:
            self._tell(record, found, never=never)

    def _tell(self, record: OptimizerRecord, broken: list[tuple[Any, dict[str, Any]]], *, never: bool) -> None:
        optimizer = record.reference()
        if optimizer is None or record.id in self._told:
            return
        self._told.add(record.id)
        watch, inventory = self.recorder.watch, self.recorder.inventory
        tensor, group = broken[0]
        eps = group.get("eps")
        eps = float(eps) if isinstance(eps, (int, float)) else None
        rounded = float(torch.tensor(eps, dtype=tensor.dtype)) if eps is not None else None
        first = inventory.describe(tensor)
        watch.emit(
            NonfiniteParameter(
                step=watch.steps,
                site=record.step_site,
                optimizer=record.event(),
                parameters=(first, *(inventory.describe(one) for one, _ in broken[1:8])),
                never_finite=never,
                finite_at=self._finite_at.get(record.id, -1),
                taken=record.step_site,
                divides=_division(optimizer),
                eps=eps,
                rounded=rounded,
                zero_moments=_zero_moments(tensor, optimizer.state.get(tensor)),
                rates=record.rates(),
                centered=bool(group.get("centered")),
                innocent=_cannot_break(optimizer, group, rounded),
                written=inventory.writes.statement_writing(first.name.rpartition(".")[2]),
            )
        )


def _broken(record: OptimizerRecord) -> list[tuple[Any, dict[str, Any]]]:
    grouped = [(tensor, group) for tensor, group in record.grouped() if tensor.dtype in _MEASURED and not tensor.is_sparse]
    found = {id(tensor) for tensor in finite.broken(tensor for tensor, _ in grouped)}
    return [(tensor, group) for tensor, group in grouped if id(tensor) in found]


def _cannot_break(optimizer: Any, group: dict[str, Any], rounded: float | None) -> bool:
    """Tells whether one of torch's own optimizers, as it is set, makes finite values of finite gradients."""
    rate = group.get("lr")
    return (
        type(optimizer).__module__.startswith("torch.optim.")
        and isinstance(rate, float)
        and math.isfinite(rate)
        and rounded != 0
        and not group.get("centered")
    )


def _division(optimizer: Any) -> Location | None:
    """Returns the first division in the `step` of an optimizer that the program itself defines."""
    step = getattr(type(optimizer), "step", None)
    step = inspect.unwrap(step) if step is not None else None
    if not is_users(getattr(getattr(step, "__code__", None), "co_filename", "<")):
        return None
    return in_definition(
        step,
        lambda node: (
            (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
            or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DIVIDING)
        ),
    )


def _zero_moments(tensor: Any, state: Any) -> float | None:
    """Returns the share of a tensor's broken values whose second moment is exactly zero, or unknowable because it is broken too."""
    moment = next((state[name] for name in _MOMENTS if name in state), None) if isinstance(state, dict) else None
    if not isinstance(moment, torch.Tensor) or moment.shape != tensor.shape:
        return None
    broken = ~torch.isfinite(tensor.detach())
    return float((moment[broken] == 0).double().mean())
