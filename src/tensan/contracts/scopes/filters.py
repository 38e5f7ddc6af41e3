"""Filters of warnings for one thread alone, which are taken out one by one, whatever other blocks and threads did to the list meanwhile."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tensan.contracts.scopes.conditions import Condition

_lock = threading.Lock()


class _InThread:
    """Stands where a filter has its pattern: it fits in its own thread, and in code that is not the library's."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern, self._thread = pattern, threading.get_ident()

    def match(self, text: str) -> bool:
        return threading.get_ident() == self._thread and self._pattern.match(text) is not None


class _NotInside:
    """Stands where a filter has its module: it fits in all modules but those of some libraries, whose own checks warn of themselves."""

    def __init__(self, libraries: Iterable[str]) -> None:
        self._names = tuple(libraries)

    def match(self, module: str) -> bool:
        names = self._names
        if module in names or module.startswith(tuple(f"{name}." for name in names)):
            return False
        # What warns in C++ names the file instead.
        return not any(f"/site-packages/{name}/" in module.replace("\\", "/") for name in names)


@contextmanager
def filtered(action: str, conditions: Iterable[Condition]) -> Iterator[None]:
    """Makes errors of warnings, shows them or ignores them, while a block runs in this thread.

    Args:
        action: as Python's filters name it.
        conditions: those that warn.
    """
    added: list[Any] = []
    for condition in conditions:
        # Where a trace meets the checks of torch's own layers it says so for each; the user has no part in it.
        module = _NotInside([condition.library]) if condition.category else None
        added.append((action, _InThread(condition.pattern()), condition.kind(), module, 0))
    with _lock:
        warnings.filters[:0] = added  # type: ignore[index]
        _noticed()
    try:
        yield
    finally:
        with _lock:
            gone = set(map(id, added))
            warnings.filters[:] = [each for each in warnings.filters if id(each) not in gone]  # type: ignore[index]
            _noticed()


def _noticed() -> None:
    """Has Python forget which lines have warned already: it does so where it sees that the filters are others."""
    changed = getattr(warnings, "_filters_mutated", None) or getattr(warnings, "_filters_mutated_lock_held", None)
    if changed is not None and sys.version_info < (3, 14):
        changed()
    else:
        with warnings.catch_warnings():
            pass
