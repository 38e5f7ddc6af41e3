"""Reads in the program's source where a container grows, and whether anything there reads it or takes something out again."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from tensan.adapters.torch.bindings import spelled
from tensan.adapters.torch.statements import users_modules
from tensan.core.sites import Location
from tensan.core.trees import called_name, location, tree_of, walk

#: Methods that add to a container; any other one reads it, or takes out of it.
_ADDING = frozenset({"append", "appendleft", "extend", "insert"})
#: Calls whose result is a container that is empty.
_MAKING = frozenset({"list", "dict", "deque", "defaultdict", "OrderedDict"})
#: Where an object gets its attributes when it is made, the module itself included.
_BEGINNING = ("", "__init__", "__post_init__")
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
#: Functions that look at the length alone.
_COUNTING = frozenset({"len", "bool"})
#: Functions that write an object out with all that it has.
_WRITING = frozenset({"save", "dump", "dumps", "asdict", "vars", "deepcopy"})


class Path(NamedTuple):
    """A way to a container: a name, then keys and attributes."""

    name: str
    keys: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return spelled(self.name, self.keys)


class _File(NamedTuple):
    path: str
    tree: ast.AST
    above: dict[ast.AST, ast.AST]


class _ReadError(Exception):
    """The container is read, emptied, or handed on to where this cannot be told."""


def growth(path: Path, *, is_dict: bool, function: str) -> Location | None:
    """Returns the statement that adds to a container, if the program does nothing else with it but look at its length or its last entry.

    None where there is no such statement, and where a person may read what is left when the program has ended.

    Args:
        path: what leads to it.
        is_dict: whether it has keys.
        function: the function whose variable the name is; empty for a module's.
    """
    if sys.flags.interactive or hasattr(sys, "ps1"):
        return None
    files = [_file(path) for path in dict.fromkeys(str(module.__file__) for module in users_modules())]  # the main one has two names
    if not files or None in files:
        return None
    read = _Reading([file for file in files if file is not None], path, is_dict=is_dict, function=function)
    try:
        return read.growth()
    except _ReadError:
        return None


def _file(path: str) -> _File | None:
    tree = tree_of(path)
    return None if tree is None else _File(path, tree, {child: node for node in walk(tree) for child in ast.iter_child_nodes(node)})


class _Reading:
    """Classifies all that the source says of one container."""

    def __init__(self, files: list[_File], path: Path, *, is_dict: bool, function: str) -> None:
        self.files = files
        self.function = function
        self.path = path
        self.is_dict = is_dict
        self.names = {path.name} if not path.keys else set()
        self.grows: list[tuple[_File, ast.AST]] = []

    def growth(self) -> Location | None:
        if self.function and self._num_calls() > 1:
            raise _ReadError
        if self.path.keys:
            self._check_root()
            self._check_way()
        if self.path.keys and self.path.keys[-1][0] == "item":
            self._check_parent()
        known = 0
        while known != len(self.names) or not known:  # names of parameters join while this reads
            known = len(self.names) or 1
            self.grows, made = [], 0
            for file in self.files:
                for node in self._references(file, self.path):
                    made += self._classify(file, node)
            if made > 1:
                raise _ReadError
            if not self.names:
                break
        if len(self.grows) != 1:
            return None
        file, node = self.grows[0]
        self._check_always(file, node)
        return location(file.path, node, self._function(file, node))

    def _references(self, file: _File, path: Path) -> Iterator[ast.AST]:
        return (node for node in walk(file.tree) if self._is(node, path))

    def _is(self, node: ast.AST, path: Path) -> bool:
        if not path.keys:
            return isinstance(node, ast.Name) and (node.id in self.names if path is self.path else node.id == path.name)
        way, key = path.keys[-1]
        if way == "attribute":
            return isinstance(node, ast.Attribute) and node.attr == key
        if not isinstance(node, ast.Subscript) or not self._is(node.value, Path(path.name, path.keys[:-1])):
            return False
        return not isinstance(node.slice, ast.Constant) or node.slice.value == key

    def _classify(self, file: _File, node: ast.AST) -> int:
        """Returns how many times the container is made here: one or none."""
        above = file.above[node]
        match above:
            case ast.Attribute(attr=method) if isinstance(file.above[above], ast.Call) and method in _ADDING:
                self.grows.append((file, file.above[above]))
            case ast.AugAssign(target=target, op=ast.Add()) if target is node:
                self.grows.append((file, above))
            case ast.Subscript(value=value, ctx=ast.Store()) if (
                value is node and self.is_dict and isinstance(file.above[above], ast.Assign)
            ):
                if not self._counts_up(file, above.slice):
                    raise _ReadError
                self.grows.append((file, file.above[above]))
            case ast.Subscript(value=value, ctx=ast.Load()) if value is node and _is_last(above.slice):
                pass
            case ast.Call(func=ast.Name(id=called)) if called in _COUNTING and not isinstance(file.above[above], (ast.Compare, ast.BinOp)):
                pass
            case ast.If() | ast.UnaryOp(op=ast.Not()):
                pass
            case ast.IfExp(test=test) if test is node:
                pass
            case ast.Call(func=ast.Name(id=called)) if not self.path.keys and isinstance(node, ast.Name):
                self._hand_on(file, above, node, called)
            case ast.Assign(value=value) | ast.AnnAssign(value=value) if value is not node and value is not None:
                self._check_made(file, above, value)
                return 1
            case _:
                raise _ReadError
        return 0

    def _check_made(self, file: _File, statement: ast.AST, value: ast.expr) -> None:
        empty = (isinstance(value, (ast.List, ast.Tuple)) and not value.elts) or (isinstance(value, ast.Dict) and not value.keys)
        empty = empty or (isinstance(value, ast.Call) and called_name(value) in _MAKING)
        if not empty or _in_loop(file, statement):
            raise _ReadError
        function = self._function(file, statement)
        if self.path.keys and self.path.keys[-1][0] == "attribute":
            if function not in _BEGINNING:
                raise _ReadError  # `reset()`
        elif not self.path.keys and function != self.function:
            raise _ReadError

    def _hand_on(self, file: _File, call: ast.Call, node: ast.Name, called: str) -> None:
        """Follows a container into a function of the program's that is given it."""
        function = next((each for each in walk(file.tree) if isinstance(each, ast.FunctionDef) and each.name == called), None)
        if function is None or node not in call.args or any(isinstance(each, ast.Starred) for each in call.args):
            raise _ReadError
        parameters = [*function.args.posonlyargs, *function.args.args]
        if call.args.index(node) >= len(parameters):
            raise _ReadError
        self.names.add(parameters[call.args.index(node)].arg)

    def _check_root(self) -> None:
        """Refuses an object that is made in a loop, or written out with all that it has."""
        for file in self.files:
            for node in walk(file.tree):
                if isinstance(node, ast.Name) and node.id == self.path.name:
                    above = file.above[node]
                    if isinstance(node.ctx, ast.Store) and (_in_loop(file, node) or (not self.function and self._function(file, node))):
                        raise _ReadError
                    if isinstance(above, ast.Call) and node is not above.func and called_name(above) in _WRITING:
                        raise _ReadError

    def _check_way(self) -> None:
        """Refuses an object that takes the place of another one while the program runs."""
        between = {key for way, key in self.path.keys[:-1] if way == "attribute"}
        if any(way == "item" for way, _ in self.path.keys[:-1]):
            raise _ReadError
        for file in self.files:
            for node in walk(file.tree):
                bound = isinstance(node, ast.Attribute) and node.attr in between and not isinstance(node.ctx, ast.Load)
                if bound and (_in_loop(file, node) or self._function(file, node) not in _BEGINNING):
                    raise _ReadError

    def _num_calls(self) -> int:
        calls = (node for file in self.files for node in walk(file.tree) if isinstance(node, ast.Call))
        return sum(called_name(call) == self.function for call in calls)

    def _check_always(self, file: _File, node: ast.AST) -> None:
        """Refuses what adds only for a while: under a condition, or in a hook that is taken off again."""
        below, line = node, _statement(file, node).lineno
        while below in file.above and not isinstance(below, _FUNCTIONS):
            above = file.above[below]
            if isinstance(above, ast.IfExp) or (isinstance(above, ast.If) and (below in above.orelse or not _is_ordinary(above.test))):
                raise _ReadError
            below = above
        if not isinstance(below, _FUNCTIONS) or _in_loop(file, node):
            return
        if any(isinstance(each, ast.Return) and each.lineno < line for each in walk(below)):
            raise _ReadError
        for each in self.files:
            for call in walk(each.tree):
                if isinstance(call, ast.Call) and called_name(call) == "remove" and not call.args:
                    raise _ReadError

    def _check_parent(self) -> None:
        """Refuses a dict of containers that is used as a whole: returned, written, walked through."""
        parent = Path(self.path.name, self.path.keys[:-1])
        for file in self.files:
            for node in self._references(file, parent):
                above = file.above[node]
                made = isinstance(above, (ast.Assign, ast.AnnAssign)) and above.value is not node and not _in_loop(file, above)
                if not made and not (isinstance(above, ast.Subscript) and above.value is node):
                    raise _ReadError

    def _counts_up(self, file: _File, key: ast.expr) -> bool:
        """Tells whether a key is a count of steps, which never comes again."""
        if not isinstance(key, ast.Name):
            return False
        bound = [node for node in walk(file.tree) if isinstance(node, ast.Name) and node.id == key.id and isinstance(node.ctx, ast.Store)]
        adds = [node for node in bound if isinstance(file.above[node], ast.AugAssign)]
        others = [node for node in bound if node not in adds]
        if len(others) != 1:
            return False
        return not _in_loop(file, others[0]) if adds else not _in_loop(file, _statement(file, others[0]))

    @staticmethod
    def _function(file: _File, node: ast.AST) -> str:
        while node in file.above:
            node = file.above[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node.name
        return ""


def _is_ordinary(test: ast.expr) -> bool:
    """Tells whether a condition holds for ever again: `self.training`, `step % 10 == 0`."""
    if isinstance(test, ast.Attribute):
        return test.attr == "training"
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.left, ast.BinOp)
        and isinstance(test.left.op, ast.Mod)
    )


def _statement(file: _File, node: ast.AST) -> ast.stmt:
    while not isinstance(node, ast.stmt):
        node = file.above[node]
    return node


def _in_loop(file: _File, node: ast.AST) -> bool:
    """Tells whether a node stands in a loop of its own function."""
    while node in file.above:
        node = file.above[node]
        if isinstance(node, _FUNCTIONS):
            return False
        if isinstance(node, _LOOPS):
            return True
    return False


def _is_last(index: ast.expr) -> bool:
    """Tells whether an index takes the last entry, or the last few."""
    if isinstance(index, ast.Slice):
        return index.upper is None and index.step is None and index.lower is not None and _is_last(index.lower)
    return isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant)
