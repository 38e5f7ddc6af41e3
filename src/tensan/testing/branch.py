"""A second stem, forked from the first and with a program's libraries imported besides: the next program that imports them need not."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def libraries_of(script: Path) -> dict[str, list[str]]:
    """Returns the statements by which a program imports what the stem has not, by the package that each is of."""
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}  # it is the program's own to fail on
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        else:
            continue
        for package in dict.fromkeys(name.partition(".")[0] for name in names):
            if package not in sys.modules and package not in sys.stdlib_module_names and _is_installed(package, script.parent):
                found.setdefault(package, []).append(ast.unparse(node))
    return found


def _is_installed(package: str, folder: Path) -> bool:
    beside = folder / package
    return not beside.is_dir() and not beside.with_suffix(".py").is_file() and importlib.util.find_spec(package) is not None


class Branch:
    """The stem's side of a branch.

    Args:
        serve: answers the orders of one stream into another until it ends; runs in the new process.
    """

    def __init__(self, serve: Callable[[BinaryIO, BinaryIO], None]) -> None:
        (theirs, orders), (answers, back) = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(orders)
            os.close(answers)
            with contextlib.suppress(BrokenPipeError):
                serve(os.fdopen(theirs, "rb"), os.fdopen(back, "wb"))
            os._exit(0)
        os.close(theirs)
        os.close(back)
        self._orders, self._answers = os.fdopen(orders, "wb"), os.fdopen(answers, "rb")

    def ask(self, order: bytes) -> bytes:
        """Passes an order on and returns the answer; nothing where the branch has died."""
        try:
            self._orders.write(order)
            self._orders.flush()
        except BrokenPipeError:
            return b""
        return self._answers.readline()
