"""Replaces functions of torch, once per process, so that they still pickle, show their signature and fall through unwatched."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

_done: set[tuple[int, str]] = set()

#: In the name of a file, this makes Python leave its frames out where it looks for the place to blame for a warning
#: (`is_internal_frame` of CPython's `_warnings.c`): torch warns about its caller, who must stay two frames away.
_UNCOUNTED = " (importlib._bootstrap)"


def uncounted(function: Any) -> Any:
    """Makes a function of ours one whose frames Python passes over where it looks for who is to blame for a warning."""
    function.__code__ = function.__code__.replace(co_filename=f"{function.__code__.co_filename}{_UNCOUNTED}")
    return function


def patch(owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]], *, also: tuple[Any, ...] = ()) -> None:
    """Wraps `owner.name`; a second call does nothing.

    Args:
        owner: module or class that defines the function. Pickle finds functions by module and name, so it must be the defining one.
        name: its name.
        make: takes the original, returns the wrapper; the wrapper gets the original's name, docstring and signature.
        also: other modules that hold the same object under the same name, as packages that export it do.
    """
    if (id(owner), name) in _done or not hasattr(owner, name):
        return
    _done.add((id(owner), name))
    original = vars(owner).get(name) or getattr(owner, name)
    wrapper: Any = uncounted(functools.wraps(original)(make(original)))
    if not hasattr(original, "__wrapped__"):
        with contextlib.suppress(TypeError, ValueError):  # some of torch's are written in C
            wrapper.__signature__ = inspect.signature(original)  # `getfullargspec` follows no wrapper
    setattr(owner, name, wrapper)
    for other in also:
        if getattr(other, name, None) is original:
            setattr(other, name, wrapper)
