"""Reads what the user's code can name at a moment: the variables of the functions that are running, and of their modules."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tensan.core.sites import is_users

#: Functions of the user's that are looked at, innermost first.
MOST_FRAMES = 6
#: A function that names one of these may hold the dictionary that reading its variables would bring up to date.
_SEES_ITSELF = frozenset({"locals", "vars", "dir", "eval", "exec", "currentframe", "_getframe", "stack", "f_locals"})


def variables(depth: int = 1) -> Iterator[tuple[str, Any, FrameType]]:
    """Yields names and values in reach, with the frame that has them; each module's once."""
    frame: FrameType | None = sys._getframe(depth)
    modules: list[int] = []
    frames: list[FrameType] = []
    while frame is not None and len(frames) < MOST_FRAMES:
        if is_users(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    for frame in frames:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            yield from _locals(frame)
        if id(frame.f_globals) not in modules:
            modules.append(id(frame.f_globals))
            yield from ((name, value, frame) for name, value in list(frame.f_globals.items()))


def _locals(frame: FrameType) -> Iterator[tuple[str, Any, FrameType]]:
    if _SEES_ITSELF.intersection(frame.f_code.co_names) or sys.gettrace() is not None:
        return
    held = frame.f_locals
    found = list(held.items())
    if sys.version_info < (3, 13):
        held.clear()  # a copy that the frame would keep, and with it all that the function lets go of later
    yield from ((name, value, frame) for name, value in found)
