"""Where the program goes on counting epochs or steps from the number that a checkpoint holds; a number that is only shown is none."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator

from tensan.core.sites import Location, Place, Site
from tensan.core.trees import body_of, called_name, location, tree_of, walk

#: What programs call how far training had come.
_PROGRESS = frozenset(
    {"epoch", "epochs", "step", "steps", "global_step", "iteration", "iter", "it", "start_epoch", "next_epoch", "last_epoch"}
)
_RESUMING = re.compile(r"resum|interrupt|preempt|crash|continu(e[sd]?_|es? (train|from)|ing)|carr(y|ies) on|goes on", re.IGNORECASE)
#: Lines around a reading at the top of a module.
_AROUND = 6
#: Functions that show or note a number.
_SHOWING = frozenset(
    {"print", "str", "repr", "format", "log", "info", "debug", "warning", "write", "append", "add_scalar", "set_description", "echo"}
    | {"dict", "set_postfix", "float", "round", "tqdm_write", "log_metric", "add_text"}
)


def progress(read: Place) -> Location | None:
    """Returns where the program takes the number of an epoch or a step out of what `torch.load` gave at a line, to go on from there."""
    if not isinstance(read, Site):
        return None
    path = read.code.co_filename
    tree = tree_of(path)
    names = _read_names(tree, read.key[1]) if tree is not None else set[str]()
    for node in _beginnings(tree, names) if tree is not None and names else ():
        return location(path, node, "")
    return None


def speaks_of_resuming(read: Place) -> bool:
    """Tells whether the function that reads a checkpoint, or the lines around it, say that training is taken up again."""
    if not isinstance(read, Site):
        return False
    path, line = read.code.co_filename, read.key[1]
    function = body_of(read.code)
    first, last = max(line - _AROUND, 1), line + _AROUND
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        first, last = function.lineno, function.end_lineno or line
    return any(map(_RESUMING.search, linecache.getlines(path)[first - 1 : last]))


def _read_names(tree: ast.Module, line: int) -> set[str]:
    return {
        ast.unparse(target)
        for node in walk(tree)
        if isinstance(node, ast.Assign) and _loads(node.value) and node.lineno <= line <= (node.end_lineno or node.lineno)
        for target in node.targets
    }


def _beginnings(tree: ast.Module, names: set[str]) -> Iterator[ast.expr]:
    for statement in walk(tree):
        if isinstance(statement, ast.For):
            yield from _taken_in(statement.iter, names)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target, value in (pair for each in targets for pair in _pairs(each, statement.value)):
                if _is_counted(tree, target):
                    yield from _taken_in(value, names)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _returned(tree, statement, names)


def _returned(tree: ast.Module, function: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str]) -> Iterator[ast.expr]:
    """Yields the numbers that a function returns, where its callers count from them."""
    for statement in walk(function):
        if not isinstance(statement, ast.Return) or statement.value is None:
            continue
        for call in walk(tree):
            if isinstance(call, ast.Assign) and isinstance(call.value, ast.Call) and called_name(call.value) == function.name:
                for target, value in (pair for each in call.targets for pair in _pairs(each, statement.value)):
                    if _is_counted(tree, target):
                        yield from _taken_in(value, names)
            elif isinstance(call, ast.For) and any(
                isinstance(inner, ast.Call) and called_name(inner) == function.name for inner in walk(call.iter)
            ):
                yield from _taken_in(statement.value, names)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields which part of a value goes into which target."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
    elif isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
        for pair in zip(target.elts, value.elts, strict=True):
            yield from _pairs(*pair)
    else:
        for each in target.elts:
            yield each, value


def _is_counted(tree: ast.Module, target: ast.expr) -> bool:
    """Tells whether what a target holds begins a count: it is an attribute, or a name that a loop or a call is given."""
    if isinstance(target, ast.Attribute):
        return True
    if not isinstance(target, ast.Name):
        return False
    rebound = any(
        isinstance(node, ast.Name) and node.id == target.id
        for loop in walk(tree)
        if isinstance(loop, (ast.For, ast.comprehension))
        for node in walk(loop.target)
    )
    return any(_counts(node, target.id, rebound=rebound) for node in walk(tree))


def _counts(node: ast.AST, name: str, *, rebound: bool) -> bool:
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    if isinstance(node, ast.While):
        return _mentions(node.test, name)
    if isinstance(node, (ast.Return, ast.Yield)):
        return node.value is not None and not rebound and _mentions(node.value, name)
    if isinstance(node, ast.Assign) and not rebound and not _mentions_call(node.value):
        kept = [target for target in node.targets if not isinstance(target, ast.Subscript)]
        return bool(kept) and _mentions(node.value, name)
    if not isinstance(node, ast.Call) or called_name(node) in _SHOWING:
        return False
    if rebound and called_name(node) not in {"range", "trange", "islice", "count"}:
        return False
    given = [*node.args, *(item.value for item in node.keywords)]
    return any(_mentions(each, name) for each in given if not isinstance(each, ast.Call))


def _mentions(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.JoinedStr, ast.Dict)):
        return False
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return any(_mentions(child, name) for child in ast.iter_child_nodes(node))


def _mentions_call(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Call) for each in walk(node))


def _taken_in(value: ast.expr, names: set[str]) -> Iterator[ast.expr]:
    """Yields where a number is taken out of what was read, other than into a text."""
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and called_name(node) in _SHOWING):
            continue
        if isinstance(node, ast.expr) and _taken(node) in names:
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def _loads(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) in ("torch.load", "torch.serialization.load") for node in walk(value))


def _taken(node: ast.AST) -> str | None:
    """Returns what a number of epochs or steps is taken from."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in _PROGRESS:
        return ast.unparse(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        first = node.args[0]
        return ast.unparse(node.func.value) if isinstance(first, ast.Constant) and first.value in _PROGRESS else None
    return None
