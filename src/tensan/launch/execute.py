"""Runs a target as python itself would, down to its exit status and its last traceback.

The order of the end is python's own: the script ends, its last words (a traceback, a ``SystemExit`` message) are
printed, non-daemon threads are joined, ``atexit`` handlers run. Only then is ``on_end`` called, while the interpreter is
still whole. That order is kept by taking the two steps that ``Py_FinalizeEx`` takes first (``threading._shutdown`` and
``atexit._run_exitfuncs``, which ``multiprocessing`` takes by hand too) before it does. An ``atexit`` handler of our own,
registered early so as to run last, would keep the order as well, but could no longer change the exit status (``--fail-on``)
and would be lost to a script that clears the handlers. Both steps do nothing when the interpreter repeats them.

What no launcher inside the process can hide: our frames lie below the script's (``inspect.stack()``, a ``stacklevel``
beyond the script), and modules that we import are loaded already.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from tensan.launch.check import check
from tensan.launch.conclude import conclude, flush, show_nothing
from tensan.launch.prepare import prepare
from tensan.launch.target import LaunchError, Target
from tensan.launch.tracebacks import without_our_frames

__all__ = ["LaunchError", "Target", "check", "execute", "leave"]


def execute(
    target: Target,
    *,
    on_end: Callable[[BaseException | None], None],
    before_shutdown: Callable[[BaseException | None], None] | None = None,
) -> int:
    """Runs the target and returns the exit status that python would have had.

    A process that the script forks and that runs on to the script's end returns from here too; it calls neither of
    the two functions, and should leave at once with the status that it gets.

    Args:
        target: what to run.
        on_end: called once, last of all: after the script's own output, its threads and its `atexit` handlers.
            Gets the exception that ended the script (without traceback if it is a `SystemExit`). Must not raise.
        before_shutdown: called once where the script's own code has ended, before threads and handlers, while all that
            the script built is still alive. Must neither raise nor print.

    Returns:
        The status, or a negative signal number if python would have died by that signal: give it to `leave`.
    """
    root = os.getpid()
    error: BaseException | None = None
    call: Callable[..., Any] | None = None
    arguments: tuple[Any, ...] = ()
    try:
        call, arguments = prepare(target)
        call(*arguments)
    except BaseException as raised:  # noqa: BLE001 - whatever ends the script is the script's, and is shown as python shows it
        error = raised
    # Nothing of the script may be kept alive from here: its finalizers run when python would run them.
    call, arguments = None, ()
    status, shown = conclude(target, error)
    error = None
    watched = os.getpid() == root
    if watched and before_shutdown is not None:
        before_shutdown(shown)
    _shut_down()
    if watched:
        flush()
        try:
            on_end(shown)
        except KeyboardInterrupt:
            # Asked to stop while the report is written: leave without it, as the script would have been left.
            return -signal.SIGINT
    return status


def leave(status: int) -> NoReturn:
    """Ends this process with a status that `execute` returned, by the same signal if python would have died by one."""
    if status == -signal.SIGINT:
        # Python itself tears everything down and then dies by the signal; the traceback has been shown already.
        sys.excepthook = show_nothing
        raise KeyboardInterrupt
    sys.exit(status)


def _shut_down() -> None:
    """Takes the first two steps of python's own shutdown: joins the threads, then calls the `atexit` handlers."""
    hook = sys.unraisablehook
    threading = sys.modules.get("threading")

    def pass_on(unraisable: sys.UnraisableHookArgs) -> None:
        kind, error, traceback, message, subject = unraisable  # type: ignore[misc] - it is a tuple
        if failure is not None and error is failure:
            subject = threading
        hook(type(unraisable)((kind, error, without_our_frames(traceback), message, subject)))  # type: ignore[call-arg]

    failure: BaseException | None = None
    sys.unraisablehook = pass_on
    try:
        getattr(threading, "_shutdown", _nothing)()
    except BaseException as raised:  # noqa: BLE001 - python says that it ignores it (a Ctrl-C while waiting) and goes on
        failure = raised
    if failure is not None:
        _Ignored(failure)
    failure = None
    atexit._run_exitfuncs()
    if sys.unraisablehook is pass_on:
        sys.unraisablehook = hook


class _Ignored:
    """Has python itself word that an exception is ignored, which it does for finalizers."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error


def _nothing() -> None:
    """Stands in for the threads of a program that has none."""
