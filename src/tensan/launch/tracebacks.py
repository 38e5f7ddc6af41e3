"""Tracebacks as the script would show them without us: at its end, in its threads, and where it prints them itself."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any

from tensan.core.tracebacks import tidied
from tensan.core.watch import current

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Frames of these never appear in a traceback; the toolbox is called by the script itself and does.
_HIDDEN = tuple(
    os.path.join(_PACKAGE, name) for name in ("__main__.py", *(f"{folder}{os.sep}" for folder in ("adapters", "cli", "core", "launch")))
)
#: Everything that prints or reads a traceback by the standard library comes through these.
_WALKERS = ("walk_tb", "_walk_tb_with_full_positions")

_patched: set[str] = set()


def hide_our_frames(error: BaseException) -> None:
    """Takes our frames out of the traceback of an exception, its causes, contexts and members."""
    pending, seen = [error], set()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = without_our_frames(tidied(each.__traceback__))
        pending += [other for other in (each.__cause__, each.__context__) if other is not None]
        if isinstance(each, BaseExceptionGroup):
            pending += each.exceptions


def told(error: BaseException | None) -> tuple[str, str, str] | None:
    """Returns type, message and traceback of what ended a script; None where it ended by itself or by `sys.exit`."""
    if error is None or isinstance(error, SystemExit):
        return None
    import traceback

    return type(error).__qualname__, str(error), "".join(traceback.format_exception(error))


def without_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Returns the traceback without the frames of the watching code, wherever they lie in it."""
    first = _next_foreign(traceback)
    link = first
    while link is not None:
        following = _next_foreign(link.tb_next)
        if following is not link.tb_next:
            link.tb_next = following
        link = following
    return first


def _next_foreign(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_HIDDEN):
        traceback = traceback.tb_next
    return traceback


def keep_bare() -> None:
    """Has `traceback`, and what threads die of, show no frame of ours while a watch runs; once per process."""
    from wrapt import register_post_import_hook

    for module, patch in (("traceback", _patch_walkers), ("threading", _patch_threads)):
        if module not in _patched:
            _patched.add(module)
            register_post_import_hook(patch, module)


def _patch_walkers(module: Any) -> None:
    for name in _WALKERS:
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _walking(original))


def _walking(original: Callable[[TracebackType | None], Any]) -> Callable[[TracebackType | None], Any]:
    @functools.wraps(original)
    def walk(tb: TracebackType | None) -> Any:
        return original(tb if current() is None else without_our_frames(tidied(tb)))

    return walk


def _patch_threads(module: Any) -> None:
    original = module.__excepthook__

    @functools.wraps(original)
    def excepthook(args: Any, /) -> Any:
        if args.exc_value is not None and current() is not None:
            hide_our_frames(args.exc_value)
        return original(args)

    if module.excepthook is original:  # else the script's own, which came first
        module.excepthook = excepthook
    module.__excepthook__ = excepthook
