"""The way past an optimizer's own code: a step that is turned away returns without having run, and one that went wrong is taken back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch.compiler import is_compiling

from tensan.adapters.torch.live import live
from tensan.adapters.torch.patching import uncounted


class Abandoned(BaseException):
    """Leaves a step in the midst of it, from its closure: an optimizer catches no exception that is none of its own."""

    def __init__(self, optimizer: Any, loss: Any) -> None:
        super().__init__()
        self.optimizer, self.loss = optimizer, loss


def covers(kind: type) -> bool:
    """Puts the gate before the `step` of a class; returns whether it is there.

    No hook of torch can call a step off. What torch's own wrapper calls between the hooks lies in a cell of that wrapper, and is exchanged
    there: the wrapper itself stays what programs, schedules and pickles know. It works for classes whose optimizers were built before us.
    """
    hooked: Any = getattr(kind, "step", None)
    inner = getattr(hooked, "__wrapped__", None)
    if inner is None or not getattr(hooked, "hooked", False):
        return False
    if getattr(inner, "_tensan_gate", False):
        return True
    for cell in getattr(hooked, "__closure__", None) or ():
        if cell.cell_contents is inner:
            cell.cell_contents = hooked.__wrapped__ = _gated(inner)
            return True
    return False


def _gated(original: Callable[..., Any]) -> Callable[..., Any]:
    @uncounted
    @functools.wraps(original)
    def step(*args: Any, **kwargs: Any) -> Any:
        recorder = None if is_compiling() else live.recorder
        guard = recorder.guard if recorder is not None else None
        if recorder is None or guard is None or recorder.failed:
            return original(*args, **kwargs)
        optimizer = args[0]
        if recorder.hear(guard.is_turned_away, optimizer):
            return None
        recorder.shielded(guard.begin, optimizer)
        try:
            result = original(*args, **kwargs)
        except Abandoned as abandoned:
            if abandoned.optimizer is not optimizer:
                recorder.shielded(guard.failed, optimizer)
                raise
            result = abandoned.loss
        except BaseException:
            recorder.shielded(guard.failed, optimizer)
            raise
        recorder.hear(guard.end, optimizer)
        return result

    step._tensan_gate = True  # pyright: ignore[reportFunctionMemberAccess]
    return step
