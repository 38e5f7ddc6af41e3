"""What is to be run, and the error that says why it cannot be."""

from __future__ import annotations

import os
from typing import Literal

import msgspec


class LaunchError(Exception):
    """The target cannot be run, and nothing of it has run yet."""


class Target(msgspec.Struct, frozen=True):
    """What to run: the file, the module or the code that python would be given, and the arguments behind it."""

    kind: Literal["script", "module", "code"]
    name: str
    arguments: tuple[str, ...] = ()


def absolute(name: str) -> str:
    """Joins without normalizing, as `__file__` of a script is joined."""
    if os.name != "posix":
        return os.path.abspath(name)
    try:
        return name if os.path.isabs(name) else f"{os.getcwd()}/{name}"
    except OSError:
        return name
