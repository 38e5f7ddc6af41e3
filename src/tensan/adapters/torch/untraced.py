"""Keeps the compiler out of our own functions: between the parts of a compiled function it would trace whatever runs, ours as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch

Function = TypeVar("Function", bound=Callable[..., Any])


def untraced(function: Function) -> Function:
    """Has dynamo run a function, and all that it calls, as it stands; returns the function itself.

    `torch.compiler.disable` would do it by a wrapper, whose frames would stand in every traceback and cost microseconds a call.
    """
    frames: Any = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    if hasattr(frames, "set_code_exec_strategy"):  # older versions of torch have other names for it
        skip = frames._FrameAction.SKIP
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))  # pyright: ignore[reportFunctionMemberAccess]
    return function
