"""Reads what the user's code can name at a moment: the variables of the functions that are running, and of their modules."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from tensan.core.sites import is_users

#: Functions of the user's that are looked at, innermost first.
MOST_FRAMES = 6
#: A function that calls one of these may hold the dictionary that reading its variables would bring up to date.
_SEES_ITSELF = frozenset({"locals", "vars", "dir", "eval", "exec"})
_SEES_FRAMES = frozenset({"currentframe", "_getframe", "f_locals"})


def users_frames(frame: FrameType | None, *, most: int = sys.maxsize) -> Iterator[FrameType]:
    """Yields the running functions of the user's, outwards from a frame, so many of them at most."""
    while frame is not None and most:
        if is_users(frame.f_code.co_filename):
            yield frame
            most -= 1
        frame = frame.f_back


def variables(depth: int = 1) -> Iterator[tuple[str, Any, FrameType]]:
    """Yields names and values in reach, with the frame that has them; each module's once."""
    modules: list[int] = []
    for frame in list(users_frames(sys._getframe(depth), most=MOST_FRAMES)):
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            yield from ((name, value, frame) for name, value in names_of(frame).items())
        if id(frame.f_globals) not in modules:
            modules.append(id(frame.f_globals))
            yield from ((name, value, frame) for name, value in list(frame.f_globals.items()))


def scopes() -> Iterator[dict[str, Any]]:
    """Yields the names of each running function and module of the user's, innermost first."""
    yield from map(names_of, users_frames(sys._getframe(1)))


def names_of(frame: FrameType) -> dict[str, Any]:
    """Returns a running frame's own names; none where looking at them could be seen."""
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return frame.f_locals
    if _sees_itself(frame.f_code) or sys.gettrace() is not None:
        return {}
    held = frame.f_locals
    found = dict(held)
    if sys.version_info < (3, 13):
        held.clear()  # a copy that the frame would keep, and with it all that the function lets go of later
    return found


@lru_cache(maxsize=256)
def _sees_itself(code: CodeType) -> bool:
    if _SEES_FRAMES.intersection(code.co_names):
        return True
    # `model.eval()` has the name of a built-in too, and is none.
    return bool(_SEES_ITSELF.intersection(code.co_names)) and any(
        item.opname in ("LOAD_GLOBAL", "LOAD_NAME") and item.argval in _SEES_ITSELF for item in dis.get_instructions(code)
    )
