"""A place in the user's code: taken in a microsecond, resolved to path, line and columns only when a finding needs it."""

from __future__ import annotations

import linecache
import os
import site as site_packages
import sys
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType

import msgspec


class Location(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A resolved place: what editors, reports and fingerprints use.

    Columns are one-based and count characters; `end_column` is exclusive, as SARIF wants it.
    """

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0
    function: str = ""

    @property
    def source(self) -> str:
        """The source line as it was when Python read it, or an empty string where it cannot be had."""
        return linecache.getline(self.path, self.line).rstrip("\n")

    def __str__(self) -> str:
        return f"{shown_path(self.path)}:{self.line}:{self.column}"


class Site(msgspec.Struct, frozen=True, gc=False):
    """A code object and the instruction in it: all that a hook keeps of a place."""

    code: CodeType
    instruction: int

    def resolve(self) -> Location:
        """Returns the place with its columns, from the positions that Python 3.11 keeps for each instruction."""
        line, end_line, column, end_column = next(islice(self.code.co_positions(), self.instruction // 2, None), (None,) * 4)
        line = line or self.code.co_firstlineno
        end_line = end_line or line
        return Location(
            path=self.code.co_filename,
            line=line,
            column=characters(self.code.co_filename, line, column) + 1,
            end_line=end_line,
            end_column=characters(self.code.co_filename, end_line, end_column) + 1 if end_column is not None else 0,
            function=function_of(self.code),
        )

    @property
    def key(self) -> tuple[str, int]:
        """File and line, cheap enough to group by."""
        return self.code.co_filename, next(islice(self.code.co_positions(), self.instruction // 2, None), (0,))[0] or 0


Place = Site | Location | None


def resolved(place: Place) -> Location | None:
    """Returns a location for either kind of place; None stays None."""
    return place.resolve() if isinstance(place, Site) else place


def characters(path: str, line: int, offset: int | None) -> int:
    """Returns how many characters of a line stand before a byte of it, so that carets stand right under any script."""
    if offset is None:
        return 0
    text = linecache.getline(path, line)
    return len(text.encode()[:offset].decode(errors="ignore")) if text and not text.isascii() else offset


#: Names of what is no file to the user, such as a notebook's cells: each returns one, or None. Hosts fill it.
naming: list[Callable[[str], str | None]] = []


def shown_path(path: str) -> str:
    """Returns a path relative to the working folder where that is shorter and below it; what is no file, by the name the user knows."""
    for name in naming:
        if (known := name(path)) is not None:
            return known
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if relative.startswith("..") else relative


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OUTSIDE = tuple(
    {
        os.path.join(os.path.realpath(folder), "")
        for folder in (
            sysconfig.get_path("stdlib"),
            sysconfig.get_path("platstdlib"),
            sysconfig.get_path("purelib"),
            sysconfig.get_path("platlib"),
            *(site_packages.getsitepackages() if hasattr(site_packages, "getsitepackages") else ()),
            site_packages.getusersitepackages() if hasattr(site_packages, "getusersitepackages") else "",
        )
        if folder
    }
)
#: Also where another environment lends its packages, by a `.pth` file or PYTHONPATH.
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_users: dict[str, bool] = {}


@lru_cache(maxsize=1024)
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def _real(path: str) -> str:
    """Resolves links as `os.path.realpath` does, asking the system once for each folder rather than for each file."""
    folder, name = os.path.split(path)
    return os.path.realpath(path) if os.path.islink(path) else os.path.join(_real_folder(folder), name)


def is_users(path: str) -> bool:
    """Tells whether a file belongs to the user: neither Python's, nor an installed package's, nor ours."""
    known = _users.get(path)
    if known is None:
        real = _real(path)
        known = _users[path] = not (
            (path.startswith("<") and not path.startswith(("<stdin>", "<string>", "<ipython", "<tensan-code")))
            or real.startswith((_PACKAGE, *_OUTSIDE))
            or any(folder in real for folder in _INSTALLED)
        )
    return known


def function_of(code: CodeType) -> str:
    """Returns what a place calls the function that it lies in; nothing for a module's own lines."""
    return "" if code.co_name == "<module>" else code.co_qualname


def here(depth: int = 1) -> Site | None:
    """Returns the innermost place of the user's code on the calling thread, or None where there is none."""
    frame: FrameType | None = sys._getframe(depth)
    users = _users
    while frame is not None:
        code = frame.f_code
        known = users.get(code.co_filename)
        if known is None:
            known = is_users(code.co_filename)
        if known:
            return Site(code, frame.f_lasti)
        frame = frame.f_back
    return None
