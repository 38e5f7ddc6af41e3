"""Replaces functions of torch, once per process, so that they still pickle, show their signature and fall through unwatched."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_done: set[tuple[int, str]] = set()


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
    wrapper = functools.wraps(original)(make(original))
    setattr(owner, name, wrapper)
    for other in also:
        if getattr(other, name, None) is original:
            setattr(other, name, wrapper)
