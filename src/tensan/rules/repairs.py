"""Edits of the user's source that a rule knows exactly: statements inserted, moved, calls wrapped. Derived from the tree, never from text.

Each function returns no repair at all where the source is not as plain as it must be for the edit to be certain.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tensan.core.edits import Edit, Repair, replacing
from tensan.core.sites import Place, is_users, resolved
from tensan.core.trees import expression_at, tree_of, walk

Repairs = tuple[Repair, ...]

_SQUASHING = frozenset({"softmax", "log_softmax", "sigmoid", "logsigmoid"})
_NAMESPACES = frozenset({"torch", "F", "nn.functional", "torch.nn.functional", "torch.special"})
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


class Found(NamedTuple):
    """A simple statement of the user's, alone on its lines.

    Attributes:
        block: the statements among which it stands; function: those of the function or module around it.
    """

    path: str
    node: ast.stmt
    block: Sequence[ast.stmt]
    function: ast.AST

    @property
    def end(self) -> int:
        """The first line after it."""
        return (self.node.end_lineno or self.node.lineno) + 1

    @property
    def indent(self) -> str:
        """What stands before it."""
        return linecache.getline(self.path, self.node.lineno)[: self.node.col_offset]

    @property
    def text(self) -> str:
        """Its lines."""
        return "".join(linecache.getline(self.path, line) for line in range(self.node.lineno, self.end))


# ---- trees ----


@lru_cache(maxsize=32)
def _tree(path: str) -> ast.Module | None:
    """Returns the tree of a file of the user's whose columns are the same in bytes and in characters."""
    return tree_of(path) if is_users(path) and "".join(linecache.getlines(path)).isascii() else None


def _blocks(tree: ast.AST, function: ast.AST) -> Iterator[tuple[Sequence[ast.stmt], ast.AST]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(tree, field, None)
        if isinstance(block, list):
            yield block, function
            for item in block:
                inner = item if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
                yield from _blocks(item, inner)
    for handler in getattr(tree, "handlers", ()):
        yield from _blocks(handler, function)


def statement_at(place: Place) -> Found | None:
    """Returns the simple statement at a place."""
    at = resolved(place)
    tree = _tree(at.path) if at is not None else None
    if at is None or tree is None:
        return None
    for block, function in _blocks(tree, tree):
        for node in block:
            if isinstance(node, _SIMPLE) and node.lineno <= at.line <= (node.end_lineno or node.lineno):
                alone = sum(other.lineno <= (node.end_lineno or 0) and (other.end_lineno or 0) >= node.lineno for other in block) == 1
                own_line = not linecache.getline(at.path, node.lineno)[: node.col_offset].strip()
                return Found(at.path, node, block, function) if alone and own_line else None
    return None


def _expression_at(place: Place) -> tuple[str, ast.expr] | None:
    """Returns the file and the expression that a place covers exactly."""
    at = resolved(place)
    found = expression_at(at) if at is not None and _tree(at.path) is not None else None
    return (at.path, found) if at is not None and found is not None else None


def _lines(path: str, first: int, end: int, text: str) -> Edit:
    return Edit(path=path, line=first, column=1, end_line=end, end_column=1, replacement=text)


def _call(statement: Found | None, name: str) -> ast.Call | None:
    """Returns the outermost call `something.name(...)` of a statement."""
    for node in walk(statement.node) if statement is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            return node
    return None


def _optimizer(step: Found | None) -> str:
    """Returns what a statement steps, `optimizer` for both `optimizer.step()` and `scaler.step(optimizer)`."""
    call = _call(step, "step")
    if call is None or not isinstance(call.func, ast.Attribute):
        return ""
    stepped = call.args[0] if len(call.args) == 1 else call.func.value if not call.args else None
    return ast.unparse(stepped) if isinstance(stepped, (ast.Name, ast.Attribute)) else ""


def _scaler(backward: Found | None) -> str:
    """Returns the scaler of `scaler.scale(loss).backward()`."""
    call = _call(backward, "scale")
    owner = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    return ast.unparse(owner) if isinstance(owner, (ast.Name, ast.Attribute)) else ""


# ---- repairs ----


@lru_cache(maxsize=256)
def cleared_before(backward: Place, step: Place) -> Repairs:
    """Clears the gradients of the optimizer that steps in one statement before the backward in another."""
    at, stepped = statement_at(backward), statement_at(step)
    name = _optimizer(stepped)
    if at is None or stepped is None or at.function is not stepped.function or _call(at, "backward") is None or not name:
        return ()
    text = f"{name}.zero_grad()"
    return (Repair(text=text, edits=(_lines(at.path, at.node.lineno, at.node.lineno, f"{at.indent}{text}\n"),)),)


@lru_cache(maxsize=256)
def moved_before(moved: Place, anchor: Place) -> Repairs:
    """Moves a statement right before an earlier one of the same block."""
    return _moved(statement_at(moved), statement_at(anchor), after=False)


@lru_cache(maxsize=256)
def moved_after(moved: Place, anchor: Place) -> Repairs:
    """Moves a statement right after a later one of the same block."""
    return _moved(statement_at(moved), statement_at(anchor), after=True)


def _moved(moved: Found | None, anchor: Found | None, *, after: bool) -> Repairs:
    if moved is None or anchor is None or moved.block is not anchor.block or not isinstance(moved.node, ast.Expr) or len(moved.block) < 2:
        return ()
    if (moved.node.lineno < anchor.node.lineno) is not after or not moved.text.endswith("\n") or not anchor.text.endswith("\n"):
        return ()
    line = anchor.end if after else anchor.node.lineno
    edits = (_lines(moved.path, moved.node.lineno, moved.end, ""), _lines(anchor.path, line, line, moved.text))
    where = "after" if after else "before"
    return (Repair(text=f"`{ast.unparse(moved.node)}` {where} `{ast.unparse(anchor.node)}`", edits=edits),)


@lru_cache(maxsize=256)
def unscaled_before(clip: Place, backward: Place) -> Repairs:
    """Unscales the gradients before they are clipped."""
    at, scaled = statement_at(clip), statement_at(backward)
    scaler = _scaler(scaled)
    if at is None or scaled is None or at.function is not scaled.function or at.indent != scaled.indent or not scaler:
        return ()  # in a loop over the parameters it would be unscaled more than once
    stepped = {
        ast.unparse(node.args[0])
        for node in walk(at.function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "step" and len(node.args) == 1
        if ast.unparse(node.func.value) == scaler
    }
    unscaled = any(isinstance(node, ast.Attribute) and node.attr == "unscale_" for node in walk(at.function))
    if len(stepped) != 1 or unscaled:
        return ()
    text = f"{scaler}.unscale_({stepped.pop()})"
    return (Repair(text=text, edits=(_lines(at.path, at.node.lineno, at.node.lineno, f"{at.indent}{text}\n"),)),)


@lru_cache(maxsize=256)
def stepped_by_scaler(step: Place, backward: Place) -> Repairs:
    """Steps through the scaler that scaled the loss."""
    at, scaled = statement_at(step), statement_at(backward)
    scaler, name = _scaler(scaled), _optimizer(at)
    if at is None or scaled is None or at.function is not scaled.function or not scaler or not name or not isinstance(at.node, ast.Expr):
        return ()
    if ast.unparse(at.node) != f"{name}.step()":
        return ()
    calls = {ast.unparse(node) for node in walk(at.function) if isinstance(node, ast.Call)}
    update = "" if f"{scaler}.update()" in calls else f"\n{at.indent}{scaler}.update()"
    return (Repair(text=f"{scaler}.step({name})", edits=(replacing(at.path, at.node, f"{scaler}.step({name}){update}"),)),)


@lru_cache(maxsize=256)
def copied(place: Place, *, of: str = "state_dict") -> Repairs:
    """Copies what a place takes: `copy.deepcopy(model.state_dict())`."""
    found = _expression_at(place)
    if found is None:
        return ()
    path, node = found
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == of):
        return ()
    text = f"copy.deepcopy({ast.unparse(node)})"
    needed = _import(path, "copy")
    return (Repair(text=text, edits=(replacing(path, node, text), *needed)),) if needed is not None else ()


def _import(path: str, module: str) -> tuple[Edit, ...] | None:
    """Returns the edit that imports a module, none where it is imported; None where the name is taken."""
    tree = _tree(path)
    if tree is None:
        return None
    imports = [node for node in walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    plain = [node for node in imports if isinstance(node, ast.Import) and node in tree.body]
    if any(alias.name == module and alias.asname is None for node in plain for alias in node.names):
        return ()
    bound = {node.id for node in walk(tree) if isinstance(node, ast.Name)} | _imported(tree)
    first = next((node for node in imports if node in tree.body and getattr(node, "module", "") != "__future__"), None)
    if module in bound or first is None:
        return None
    return (_lines(path, first.lineno, first.lineno, f"import {module}\n"),)


@lru_cache(maxsize=256)
def squeezed(place: Place, axis: int, *, second: bool) -> Repairs:
    """Takes an axis of length one out of one of the two operands at a place."""
    found = _expression_at(place)
    if found is None:
        return ()
    path, node = found
    if isinstance(node, ast.BinOp):
        operand = node.right if second else node.left
    elif isinstance(node, ast.Call) and len(node.args) >= 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
        operand = node.args[int(second)]
    else:
        return ()
    text = ast.unparse(operand)
    whole = text if isinstance(operand, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"
    return (Repair(text=f"{whole}.squeeze({axis})", edits=(replacing(path, operand, f"{whole}.squeeze({axis})"),)),)


@lru_cache(maxsize=256)
def over_axis(place: Place, axis: int, name: str) -> Repairs:
    """Gives the softmax at a place another axis, where the axis is written there as a number."""
    found = _expression_at(place)
    path, call = found if found is not None else ("", None)
    if not isinstance(call, ast.Call):
        return ()
    called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
    if called.lower().replace("_", "") != name.replace("_", ""):
        return ()
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "dim"), None)
    if given is None:
        position = 0 if called[:1].isupper() else len(call.args) - 1
        given = call.args[position] if 0 <= position < len(call.args) else None
    try:
        number = ast.literal_eval(given) if given is not None else None
    except ValueError:
        return ()
    if given is None or type(number) is not int:
        return ()
    return (Repair(text=f"dim={axis}", edits=(replacing(path, given, str(axis)),)),)


@lru_cache(maxsize=256)
def without_squashing(place: Place, *, read_once: bool = False) -> Repairs:
    """Leaves out the softmax or sigmoid that is called at a place.

    Args:
        place: where it is called.
        read_once: only where nothing but one expression reads the result: elsewhere probabilities may be meant.
    """
    found = _expression_at(place)
    path, call = found if found is not None else ("", None)
    if not isinstance(call, ast.Call):
        return ()
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _SQUASHING:
        return ()
    if read_once and not _is_read_once(place, call):
        return ()
    owner, tree = call.func.value, _tree(path)
    if ast.unparse(owner) in _NAMESPACES:
        inner = next(iter(call.args), None)
    else:  # a method of a tensor, not of a module or a layer of that name
        inner = owner if isinstance(owner, (ast.Name, ast.Call)) and ast.unparse(owner) != "self" else None
        if tree is None or (isinstance(inner, ast.Name) and inner.id in _imported(tree)):
            return ()
    if inner is None or isinstance(inner, ast.Starred):
        return ()
    text = ast.unparse(inner)
    return (Repair(text=f"`{text}` instead of `{ast.unparse(call)}`", edits=(replacing(path, call, text),)),)


def _is_read_once(place: Place, call: ast.Call) -> bool:
    statement = statement_at(place)
    if statement is None:
        return False
    node = statement.node
    if getattr(node, "value", None) is not call:
        return True  # a part of a larger expression
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    name = target.id if isinstance(target, ast.Name) else ""
    names = (item for item in walk(statement.function) if isinstance(item, ast.Name) and item.id == name)
    read = [item for item in names if isinstance(item.ctx, ast.Load)]
    return bool(name) and len(read) == 1


def _imported(tree: ast.AST) -> set[str]:
    """Returns the names that a file imports."""
    imports = (node for node in walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


@lru_cache(maxsize=256)
def detached(place: Place) -> Repairs:
    """Takes the graph off what is added to a sum or a list."""
    found = statement_at(place)
    if found is None:
        return ()
    node = found.node
    value: ast.expr | None = None
    if isinstance(node, ast.AugAssign):
        value = node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        value = node.value.args[0] if node.value.func.attr == "append" and len(node.value.args) == 1 else None
    if not isinstance(value, (ast.Name, ast.Attribute)):
        return ()
    text = f"{ast.unparse(value)}.detach()"
    return (Repair(text=text, edits=(replacing(found.path, value, text),)),)


@lru_cache(maxsize=256)
def trained_again(changed: Place, backward: Place) -> Repairs:
    """Puts a model back into train mode: at the start of the loop that evaluates too, or of the function that trains."""
    evaluated, trained = statement_at(changed), statement_at(backward)
    call = _call(evaluated, "eval")
    if evaluated is None or trained is None or call is None or evaluated.path != trained.path or not isinstance(evaluated.node, ast.Expr):
        return ()
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(owner, (ast.Name, ast.Attribute)):
        return ()
    name = ast.unparse(owner)
    together = evaluated.function is trained.function
    first = _head_of_loop(evaluated, trained) if together else _head_of_function(trained, name)
    if first is None:
        return ()
    text = f"{name}.train()"
    return (Repair(text=text, edits=(_lines(evaluated.path, first.lineno, first.lineno, f"{' ' * first.col_offset}{text}\n"),)),)


def _head_of_loop(*inside: Found) -> ast.stmt | None:
    """Returns the first statement of the innermost loop around some statements."""
    loops = [
        node
        for node in walk(inside[0].function)
        if isinstance(node, (ast.For, ast.While))
        and all(node.lineno < other.node.lineno and other.end - 1 <= (node.end_lineno or 0) for other in inside)
    ]
    loop = max(loops, key=lambda node: node.lineno, default=None)
    return loop.body[0] if loop is not None and loop.body[0].lineno != loop.lineno else None


def _head_of_function(trained: Found, name: str) -> ast.stmt | None:
    """Returns the first statement of the function that trains, where it calls the model by the same name."""
    function = trained.function
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    called = any(isinstance(node, ast.Call) and ast.unparse(node.func) == name for node in walk(function))
    is_given = name.startswith("self.") or name in {argument.arg for argument in function.args.args}
    has_words = isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
    body = function.body[1:] if has_words else function.body
    return body[0] if called and is_given and body and body[0].lineno != function.lineno else None
