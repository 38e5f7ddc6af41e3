"""Raises an exception as a class of the taxonomy that is still of its own class, so that both kinds of `except` catch it."""

from __future__ import annotations

import functools
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Literal

from tensan.contracts.exceptions.classify import Verdict, classify
from tensan.core.faults import Fault


class translate(ContextDecorator):  # noqa: N801 - used as `with tensan.translate():` and `@tensan.translate()`
    """Translates what is raised inside: out comes an exception of our class *and* of the raw class, with the raw one as its cause.

    What `classify` does not know, and what is ours already, passes as it is.
    """

    def __enter__(self) -> translate:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> Literal[False]:
        if error is not None and not isinstance(error, Fault) and (verdict := classify(error)) is not None:
            raise translated(error, verdict) from error
        return False


def translated(error: BaseException, verdict: Verdict) -> Fault:
    """Returns an exception of both classes that says, holds and equals in its attributes what the raw one does."""
    kind = _both(verdict.error, type(error))
    # What OSError, StopIteration and their like hold lies outside of `__dict__`, and they put it there themselves. A subclass may take other
    # arguments, so that its `__init__` is not called: all that it did is in the state already.
    native: Any = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
    arguments = native.__reduce__(error)[1]
    again = native.__new__(kind, *arguments)
    native.__init__(again, *arguments)
    again.__setstate__(error.__dict__)
    again.args = error.args
    for name in ("layer", "phase", "recoverable", "retryable", "hint"):
        if name not in error.__dict__:
            setattr(again, name, getattr(verdict, name))
    for note in getattr(error, "__notes__", ()):
        if note not in getattr(again, "__notes__", ()):
            again.add_note(note)
    return again


@functools.cache
def _both(ours: type[Fault], raw: type[BaseException]) -> type[Any]:
    body = {"__module__": raw.__module__, "__doc__": ours.__doc__, "__reduce__": _reduce, "__str__": _says}
    return type(ours.__name__, (ours,) if issubclass(ours, raw) else (ours, raw), body)


def _says(self: Any) -> str:
    # As the raw class says it: ours comes first in the order of methods, and its `__str__` would be Exception's.
    return str(self.__cause__) if self.__cause__ is not None else BaseException.__str__(self)


def _reduce(self: Any) -> tuple[Any, ...]:
    return _restored, (self.__cause__,)


def _restored(error: BaseException) -> BaseException:
    verdict = classify(error)
    if verdict is None:
        return error
    again = translated(error, verdict)
    again.__cause__ = error
    return again
