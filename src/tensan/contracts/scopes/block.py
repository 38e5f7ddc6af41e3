"""A `with` block that can be entered again, nested and in several threads at once, and that decorates functions."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from tensan.core.errors import UsageError

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Block:
    """A block: a context manager that is opened anew at each entry, and a decorator.

    Args:
        name: as it was written, for errors.
        opens: returns what is entered and left.
    """

    def __init__(self, name: str, opens: Callable[[], AbstractContextManager[Any]]) -> None:
        self.name, self._opens, self._own = name, opens, threading.local()

    def __enter__(self) -> None:
        opened = self._opens()
        opened.__enter__()
        self._open().append(opened)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, link: TracebackType | None) -> bool | None:
        return self._open().pop().__exit__(kind, error, link)

    def __call__(self, function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        """Decorates a function: each call of it is a block.

        Raises:
            tensan.core.errors.UsageError: when calling it runs none of its lines: the block would be over before they run.
        """
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            name = getattr(function, "__qualname__", repr(function))
            raise UsageError(
                f"{self.name}: {name} is a generator or a coroutine: its lines run after the call; write the block inside of it"
            )

        @functools.wraps(function)
        def within(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
            with self._opens():
                return function(*args, **kwargs)

        return within

    def _open(self) -> list[AbstractContextManager[Any]]:
        if not hasattr(self._own, "open"):
            self._own.open = []
        return self._own.open
