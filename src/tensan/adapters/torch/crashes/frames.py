"""The frames of a traceback: the user's innermost one, and what of the framework lies below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from types import FrameType, TracebackType
from typing import Any

from tensan.adapters.torch.variables import names_of
from tensan.core.sites import Site, is_users
from tensan.core.trees import body_of, span_of, tree_of, walk


class Scope:
    """The names that expressions are read in.

    Attributes:
        depth: how many functions were entered by reading them, none of which ran.
    """

    def __init__(self, names: dict[str, Any], outside: dict[str, Any], *, depth: int = 0) -> None:
        self.names, self.globals, self.depth = names, outside, depth

    def lookup(self, name: str) -> Any:
        """Returns what a name stands for, or raises KeyError."""
        return self.names[name] if name in self.names else self.globals[name]


class Step(Scope):
    """One frame of a traceback, at the instruction where it was left."""

    def __init__(self, frame: FrameType, instruction: int) -> None:
        super().__init__(names_of(frame), frame.f_globals)
        self.code = frame.f_code
        self.site = Site(frame.f_code, instruction)
        self.is_users = is_users(frame.f_code.co_filename)
        self.path = frame.f_code.co_filename
        self.function = frame.f_code.co_name

    @property
    def span(self) -> tuple[int, int, int, int] | None:
        """Line and column of the start and of the end of what was running, columns in bytes as trees have them."""
        line, end_line, column, end_column = next(islice(self.code.co_positions(), self.site.instruction // 2, None), (None,) * 4)
        if line is None or end_line is None or column is None or end_column is None:
            return None
        return line, column, end_line, end_column

    @property
    def line(self) -> int:
        """The line that was running."""
        return self.site.key[1]

    def node(self) -> ast.AST | None:
        """Returns the expression (or in-place statement) that was running."""
        tree, span = tree_of(self.path), self.span
        if tree is None or span is None:
            return None
        for node in walk(tree):
            if isinstance(node, (ast.expr, ast.AugAssign)) and span_of(node) == span:
                return node
        return None

    def body(self) -> ast.AST | None:
        """Returns the tree of the function or module that was running."""
        return body_of(self.code)


def steps_of(traceback: TracebackType | None) -> list[Step]:
    """Returns the frames of a traceback, the outermost first."""
    return [Step(link.tb_frame, link.tb_lasti) for link in _links(traceback)]


def _links(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next
