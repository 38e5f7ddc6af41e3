"""Tracebacks as they would be without us: adapters say which frames are there only because they watch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import TracebackType

Tidier = Callable[[TracebackType | None], TracebackType | None]

_tidiers: list[Tidier] = []


def tidied_by(tidier: Tidier) -> None:
    """Has a function take out of each last traceback what watching has put there."""
    if tidier not in _tidiers:
        _tidiers.append(tidier)


def tidied(traceback: TracebackType | None) -> TracebackType | None:
    """Returns a traceback as the program's own would be; where an adapter fails at it, as it is."""
    for tidier in _tidiers:
        with contextlib.suppress(Exception):
            traceback = tidier(traceback)
    return traceback
