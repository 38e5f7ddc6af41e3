"""Where reports are made and written: a sink by its format, a file that is there whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from tensan.core import plugins
from tensan.core.report import Report, summary_line
from tensan.core.sink import Sink


def make_sink(name: str, *, verbose: bool = False, hints: bool = False, limited: bool = True) -> Sink | None:
    """Returns the sink of a format, told what to show as far as it has a choice; None where there is no such format."""
    try:
        kind = plugins.sinks().get(name)
    except Exception:  # noqa: BLE001 - a broken third-party sink must not take the report away
        return None
    if kind is None:
        return None
    sink = kind()
    wishes = {"verbose": verbose, "hints": verbose or hints} | ({} if limited else {"limit": None})
    for attribute, value in wishes.items():
        if hasattr(sink, attribute):
            setattr(sink, attribute, value)
    return sink


def text_of(report: Report, *, format: str = "full", verbose: bool = False, hints: bool = False) -> str:
    """Returns a report as text; its last line alone where there is no such format."""
    sink = make_sink(format, verbose=verbose, hints=hints)
    if sink is None:
        return summary_line(report) + "\n"
    text = io.StringIO()
    sink.write(report, text)
    return text.getvalue()


def write_whole(path: Path, write: Callable[[TextIO], object]) -> None:
    """Writes a text file that is there whole or not at all; what is no regular file (a pipe, a device) is written directly.

    Raises:
        OSError: when it cannot be written.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as file:
            write(file)
        return
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with scratch.open("w", encoding="utf-8") as file:
            write(file)
        os.replace(scratch, os.path.realpath(path))
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
