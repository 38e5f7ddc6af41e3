"""Shows how a script ended as python shows it, without our frames, and returns the status."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import types

from tensan.launch.target import Target
from tensan.launch.tracebacks import hide_our_frames

# What shows an exception when no hook can: taken now, since a script may rebind it.
_display = sys.__excepthook__


def conclude(target: Target, error: BaseException | None) -> tuple[int, BaseException | None]:
    """Shows how the script ended, as python does, and returns the status and what to tell `on_end`."""
    main = sys.modules.get("__main__")
    from_file = target.kind == "script" and getattr(main, "__spec__", None) is None
    if from_file:
        flush()
    if isinstance(error, SystemExit):
        # A new one: the old one's traceback keeps the script's objects alive past their time.
        return _exit_status(error), SystemExit(*error.args)
    status = 0
    if error is not None:
        hide_our_frames(error)
        status = -signal.SIGINT if type(error) is KeyboardInterrupt else 1
        asked = _show(error)
        if asked is not None:
            return asked, error
    if from_file and main is not None:
        # Python takes these back, which handlers and threads of the script can notice.
        for name in ("__file__", "__cached__"):
            main.__dict__.pop(name, None)
    return status, error


def _exit_status(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & (0xFF if os.name == "posix" else 0xFFFFFFFF) if -(2**63) <= code < 2**63 else 0xFF
    # Python swallows what goes wrong here, whatever it is.
    with contextlib.suppress(Exception):
        _write_error(str(code))
    _write_error("\n")
    return 1


def _show(error: BaseException) -> int | None:
    """Calls the script's `sys.excepthook` and returns a status if that asked to exit."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    hook = vars(sys).get("excepthook", _missing_hook)
    sys.audit("sys.excepthook", hook, type(error), error, error.__traceback__)
    failure: BaseException | None = None
    try:
        hook(type(error), error, error.__traceback__)
    except BaseException as raised:  # noqa: BLE001 - the script's own hook failed: shown beside what it should have shown
        failure = raised
    if failure is None:
        return None
    if isinstance(failure, SystemExit):
        return _exit_status(failure)
    hide_our_frames(failure)
    _write_error("Error in sys.excepthook:\n")
    _display(type(failure), failure, failure.__traceback__)
    _write_error("\nOriginal exception was:\n")
    _display(type(error), error, error.__traceback__)
    return None


def _missing_hook(kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None) -> None:
    _write_error("sys.excepthook is missing\n")
    _display(kind, error, traceback)


def show_nothing(kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None) -> None:
    """Stands in for `sys.excepthook` where the exception has been shown."""


def flush() -> None:
    """Empties the script's two streams, as python does after a script."""
    for stream in (sys.stderr, sys.stdout):
        # Missing, closed or broken: python tries again at its end and says so.
        with contextlib.suppress(Exception):
            stream.flush()


def _write_error(text: str) -> None:
    try:
        sys.stderr.write(text)
    except Exception:  # noqa: BLE001 - none, closed, or an object of the script's: python turns to the file descriptor
        os.write(2, text.encode("utf-8", "backslashreplace"))
