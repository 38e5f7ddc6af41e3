"""Hears, while a strict block runs, each step of an optimizer that leaves a parameter as it is because it has no gradient."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensan.core.faults import DisconnectedGradient
from tensan.core.sites import is_users


class UndefinedGradient(UserWarning):
    """A step was made while parameters that require a gradient had none."""


_lock = threading.Lock()
_own = threading.local()
_open = 0
_hook: Any = None


@contextmanager
def watched(policy: str) -> Iterator[None]:
    """Makes of such a step what a policy says, in this thread; the innermost block decides."""
    _enter()
    _policies().append(policy)
    try:
        yield
    finally:
        _policies().pop()
        _leave()


def _policies() -> list[str]:
    if not hasattr(_own, "policies"):
        _own.policies = []
    return _own.policies


def _enter() -> None:
    global _open, _hook
    with _lock:
        if not _open:
            _hook = sys.modules["torch.optim.optimizer"].register_optimizer_step_pre_hook(_before_step)
        _open += 1


def _leave() -> None:
    global _open
    with _lock:
        _open -= 1
        if not _open:
            _hook.remove()


def _before_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    policy = _policies()[-1] if _policies() else "ignore"
    if policy == "ignore" or any(callable(each) for each in (*args[1:], kwargs.get("closure"))):
        return  # a closure computes the gradients later
    trained = [
        (number, place, parameter)
        for number, group in enumerate(optimizer.param_groups)
        for place, parameter in enumerate(group["params"])
        if parameter.requires_grad
    ]
    without = [each for each in trained if each[2].grad is None]
    if not without:
        return
    number, place, parameter = without[0]
    text = (
        f"undefined-gradient: {len(without)} of {len(trained)} parameters of {type(optimizer).__name__} that require a gradient have none, "
        f"the first is parameter {place} of group {number}, of shape {list(parameter.shape)}: the step leaves them as they are"
    )
    if policy == "raise":
        raise DisconnectedGradient(text)
    warnings.warn(UndefinedGradient(text), stacklevel=_outside())


def _outside() -> int:
    """Returns how many frames up the user's own line is, seen from the caller."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and not is_users(frame.f_code.co_filename):
        frame, levels = frame.f_back, levels + 1
    return levels
