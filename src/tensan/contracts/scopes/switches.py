"""The switches of torch that a strict block needs: they are one for the process, and the block that was entered last decides."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.RLock()


class Switch:
    """One switch of a library: blocks ask for a state, the last one has its way, and what was there before comes back.

    Args:
        read: returns the state.
        write: puts one in place.
    """

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None]) -> None:
        self._read, self._write = read, write
        self._before: Any = None
        self._asked: list[list[Any]] = []

    @contextmanager
    def at(self, state: Any) -> Iterator[None]:
        """Asks for a state while a block runs; blocks of several threads may end in any order."""
        mine = [state]
        with _lock:
            if not self._asked:
                self._before = self._read()
            self._asked.append(mine)
            self._write(state)
        try:
            yield
        finally:
            with _lock:
                self._asked = [each for each in self._asked if each is not mine]
                self._write(self._asked[-1][0] if self._asked else self._before)


def _torch() -> Any:
    return sys.modules["torch"]  # who has something of it that a block is strict about has imported it


def _deterministic() -> tuple[bool, bool]:
    return _torch().are_deterministic_algorithms_enabled(), _torch().is_deterministic_algorithms_warn_only_enabled()


def _set_deterministic(state: tuple[bool, bool]) -> None:
    _torch().use_deterministic_algorithms(state[0], warn_only=state[1])


#: Some warnings of torch come once in a process, whichever line they are about: then a second line would pass.
ALWAYS_WARN = Switch(lambda: _torch().is_warn_always_enabled(), lambda state: _torch().set_warn_always(state))
#: Whether operations without a deterministic form are refused, and whether that is only said.
DETERMINISTIC = Switch(_deterministic, _set_deterministic)
