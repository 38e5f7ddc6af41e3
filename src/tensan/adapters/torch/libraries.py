"""Tells which training library's own code does something, where the program only calls it."""

from __future__ import annotations

import sys

#: Packages that differentiate and step for the program, by the name that users know.
_KNOWN = {"accelerate": "Accelerate", "transformers": "Transformers", "lightning": "Lightning", "pytorch_lightning": "Lightning"}
#: Packages whose frames stand between an operation and who asked for it.
_BETWEEN = frozenset({"torch", "tensan"})
_MOST_FRAMES = 8


def library_at(depth: int) -> str:
    """Returns the library whose code has asked for the operation that runs; empty where that is the program or somebody else."""
    frame = sys._getframe(depth)
    for _ in range(_MOST_FRAMES):
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in _BETWEEN or frame.f_back is None:
            return _KNOWN.get(package, "")
        frame = frame.f_back
    return ""
