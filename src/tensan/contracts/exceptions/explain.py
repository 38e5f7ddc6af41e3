"""Tells in words what an exception is, where it was raised and what to try."""

from __future__ import annotations

import linecache
import os
import traceback

from tensan.contracts.exceptions.classify import classify

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


def explain(error: BaseException) -> str:
    """Returns an exception in the form of a compiler's message: what it is, where, what it means, what to try.

    Args:
        error: any exception; the place is told where it has been raised.
    """
    verdict = classify(error)
    words = _headline(str(error))
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    lines = [f"error{f'[{verdict.code}]' if verdict else ''}: {verdict.error.__name__ if verdict else kind}: {words}", *_place(error)]
    if verdict is None:
        return "\n".join([*lines, "   = seen: this exception is no fault of a framework that is known here"])
    again = "the same call may succeed later" if verdict.retryable else "the same call fails again"
    on = "the process can go on" if verdict.recoverable else "this process cannot go on"
    lines += [
        f"   = seen: {kind}{f' of {verdict.framework}' if verdict.framework else ''}, in the {verdict.layer} layer, phase {verdict.phase}",
        f"   = means: {(verdict.error.__doc__ or '').partition(chr(10))[0]}",
        f"   = then: {again}; {on}",
        f"   = help: {verdict.hint}",
        f"   = explain: `tensan explain {verdict.code}`",
    ]
    return "\n".join(lines)


def _headline(text: str) -> str:
    """Returns the line that says what happened: the first, or the last where the first only leads to it, as in "in user code:"."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    return lines[-1] if lines[0].endswith(":") else lines[0]


def _place(error: BaseException) -> list[str]:
    """Returns the innermost line that can be read and is the user's own: no installed package, standard library, generated code, or ours."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        source = linecache.getline(frame.filename, frame.lineno or 0).rstrip()
        if source and not _foreign(frame.filename):
            margin = " " * len(str(frame.lineno))
            return [
                f"{margin}--> {frame.filename}:{frame.lineno} in {frame.name}",
                f"{margin} |",
                f"{frame.lineno} | {source}",
                f"{margin} |",
            ]
    return []


def _foreign(path: str) -> bool:
    return "site-packages" in path or "__autograph_generated_file" in path or path.startswith((_OURS, _LIBRARY))
