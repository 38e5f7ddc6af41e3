"""Says before anything runs that a target cannot start."""

from __future__ import annotations

import importlib.machinery
import os
import stat
import sys

from tensan.launch.target import LaunchError, Target, absolute


def check(target: Target) -> None:
    """Raises `LaunchError` if the target is certain not to start; runs nothing of it."""
    if target.kind == "script":
        _check_script(target.name)
    elif target.kind == "module":
        _check_module(target.name)


def _check_script(name: str) -> None:
    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise LaunchError("'-' reads a script from standard input, but that is a terminal or closed: give a file, -m or -c")
        return
    path = absolute(name)
    try:
        # Only regular files are opened: a pipe (`<(...)`) can be read once, and that is the script's.
        kind = os.stat(path).st_mode
        if stat.S_ISREG(kind):
            with open(path, "rb"):
                pass
    except (OSError, ValueError) as error:
        number, text = (error.errno, error.strerror) if isinstance(error, OSError) else (22, str(error))
        raise LaunchError(f"can't open file {path!r}: [Errno {number}] {text}") from None
    if stat.S_ISDIR(kind) and not any(
        os.path.isfile(os.path.join(path, f"__main__{suffix}")) for suffix in importlib.machinery.all_suffixes()
    ):
        raise LaunchError(f"can't find '__main__' module in {path!r}")


def _check_module(name: str) -> None:
    """Looks for the module without importing its parents, which would run code of the script's."""
    if name.startswith(".") or not name:
        raise LaunchError("relative module names are not supported")
    saved = sys.path[:]
    if not sys.flags.safe_path:
        sys.path[0:1] = [os.getcwd()]
    try:
        top, *rest = name.split(".")
        spec = _find(top, None)
        if spec is None:
            raise LaunchError(f"No module named {top}")
        known = top
        for part in rest:
            if spec.submodule_search_locations is None:
                raise LaunchError(f"Error while finding module specification for {name!r}: {known!r} is not a package")
            below = _find(f"{known}.{part}", list(spec.submodule_search_locations))
            if below is None:
                if _makes_its_own_path(spec):
                    return
                raise LaunchError(f"No module named {known}.{part}")
            spec, known = below, f"{known}.{part}"
        locations = spec.submodule_search_locations
        if locations is not None and _find(f"{known}.__main__", list(locations)) is None and not _makes_its_own_path(spec):
            raise LaunchError(f"No module named {known}.__main__; {known!r} is a package and cannot be directly executed")
    finally:
        sys.path[:] = saved


def _find(name: str, locations: list[str] | None) -> importlib.machinery.ModuleSpec | None:
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        spec = find_spec(name, locations) if find_spec is not None else None
        if spec is not None:
            return spec
    return None


def _makes_its_own_path(spec: importlib.machinery.ModuleSpec) -> bool:
    """Whether a package may find submodules where no search sees them before it has run."""
    if spec.origin is None or not os.path.isfile(spec.origin):
        return False
    with open(spec.origin, "rb") as source:
        return b"__path__" in source.read()
