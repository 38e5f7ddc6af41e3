"""Tells the watched root process from its children, and hands them the way to its channel."""

from __future__ import annotations

import os
from collections.abc import Callable

import msgspec

VARIABLE = "TENSAN_PARENT"


class Parent(msgspec.Struct, frozen=True):
    """The watched process above this one, and the folder through which findings reach it."""

    process: int
    channel: str


def _read(value: str | None) -> Parent | None:
    process, separator, channel = (value or "").partition(":")
    return Parent(int(process), channel) if separator and process.isdecimal() else None


# Read once: a script may change its environment, and a root of its own takes the variable away.
_inherited = _read(os.environ.get(VARIABLE))
_here: Parent | None = None
_callbacks: list[Callable[[], None]] = []


def become_root(channel: str | os.PathLike[str]) -> None:
    """Marks this process as the watched root, whose later children find the channel.

    The variable is handed over behind `os.environ`, which the script may print, compare or copy.
    """
    global _here
    _here = Parent(os.getpid(), os.fspath(channel))
    os.environ.pop(VARIABLE, None)
    os.putenv(VARIABLE, f"{_here.process}:{_here.channel}")


def is_root() -> bool:
    """Whether this very process is the watched root: only it keeps the run file and reports."""
    return _here is not None and _here.process == os.getpid()


def parent() -> Parent | None:
    """Returns the watched process that forked or started this one, or None if there is none."""
    if _here is not None and not is_root():
        return _here
    return _inherited


def after_fork(callback: Callable[[], None]) -> None:
    """Calls back in each process forked from this one, before anything else runs there.

    A callback that fails is passed over in silence: a forked worker's output belongs to the script.
    """
    if not _callbacks:
        os.register_at_fork(after_in_child=_call_back)
    _callbacks.append(callback)


def _call_back() -> None:
    for callback in _callbacks:
        try:
            callback()
        except Exception:  # noqa: BLE001 - see `after_fork`
            continue
