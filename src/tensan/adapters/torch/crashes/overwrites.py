"""The statement that overwrote what a backward pass still needed, found among the writes in place in the program's functions.

The error names the node that made the value, or that wrote into it last, and never a line. Which statements make such a value, and which
write into one, is read off the source; layers that a line calls are looked up, none of them is run.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn

from tensan.adapters.torch.code_scopes import own_nodes
from tensan.adapters.torch.crashes.definitions import kept_at, users_paths
from tensan.adapters.torch.crashes.expressions import UNKNOWN, Reader
from tensan.adapters.torch.crashes.frames import Scope, Step
from tensan.adapters.torch.crashes.makers import Makers, binding_before, function_of_step
from tensan.adapters.torch.crashes.settings import edited
from tensan.core.edits import Edit, Repair, replacing
from tensan.core.events.run import Raised
from tensan.core.trees import body_of, called_name, location, span_of, tree_of, walk

#: What a backward pass calls the writing of a part of an array.
_SLICES = "copyslices"
_IN_PLACE = re.compile(r"\[[\w.]+ \[([\d, ]*)\]\](?:, which is output \d+ of (?:torch::autograd::)?(\w+?)(?:Backward\d*)?,)? is at version")
#: What nodes are called that a layer, a function or an operator ends in, where that is not its own name.
_NODES = {
    "linear": frozenset({"addmm", "view", "unsafeview", "mm", "add"}),
    "matmul": frozenset({"mm", "bmm", "mv", "dot", "view", "unsafeview"}),
    "conv1d": frozenset({"convolution", "squeeze"}),
    "conv2d": frozenset({"convolution"}),
    "conv3d": frozenset({"convolution"}),
    "layernorm": frozenset({"nativelayernorm"}),
    "batchnorm1d": frozenset({"nativebatchnorm", "cudnnbatchnorm"}),
    "batchnorm2d": frozenset({"nativebatchnorm", "cudnnbatchnorm"}),
    "groupnorm": frozenset({"nativegroupnorm"}),
    "dropout": frozenset({"mul", "nativedropout"}),
    "maskedfill": frozenset({"maskedfill"}),
}
_OPERATORS = {
    ast.Add: frozenset({"add"}),
    ast.Sub: frozenset({"sub", "rsub"}),
    ast.Mult: frozenset({"mul"}),
    ast.Div: frozenset({"div"}),
    ast.Pow: frozenset({"pow"}),
    ast.MatMult: _NODES["matmul"],
}
#: Nodes between a weight and the product that needs it.
_OF_WEIGHTS = frozenset({"", "t", "transpose", "asstrided", "permute", "view", "accumulategrad"})

#: End in an underscore and write no value.
_NO_WRITES = frozenset({"requires_grad_", "detach_", "share_memory_", "retain_grad_"})

Told = Callable[..., Raised]


class _Write(NamedTuple):
    """A write in place: the name that is written to, the statement, and the call in it that writes, where it is no assignment."""

    name: str
    statement: ast.stmt
    call: ast.Call | None


class _Found(NamedTuple):
    """A write that may be to blame, the statement that made what it overwrites, the function around both, and what reads that."""

    path: str
    function: ast.AST
    made: ast.AST
    write: _Write
    reader: Reader


def overwritten(message: str, makers: Makers, tell: Told) -> Raised | None:
    """Returns which value was overwritten, by which line, where an error says that one was; None where it says something else."""
    parts = _IN_PLACE.search(message)
    if parts is None:
        return None
    shape = tuple(int(size) for size in parts[1].split(",") if size.strip())
    made_by = (parts[2] or "").lower()
    stepped = _stepped(makers, shape) if made_by in _OF_WEIGHTS else None
    if stepped is not None:
        return _by_step(*stepped, tell)
    found = list(_places(makers, made_by))
    if len({id(one.write.statement) for one in found}) != 1:
        found = []
    needed = f"needs what {_shown(made_by)} has given" + (f", f32[{parts[1]}], which is no longer there" if parts[1] else "")
    if not found:
        return tell(
            "overwritten", operation=f"a result of {_shown(made_by)} was overwritten before the backward that needs it", detail=needed
        )
    one = found[0]
    where, name = getattr(one.function, "name", ""), f"`{one.write.name}`"
    value = getattr(one.made, "value", None)
    by = f", by {made_by}" if made_by and value is not None and made_by in _nodes_of(value, one.reader) else ""
    return tell(
        "overwritten",
        operation=f"{name} was overwritten before the backward that needs it",
        detail=needed,
        causes=(
            (f"{name} is overwritten here", location(one.path, one.write.statement, where)),
            (f"{name} was made here{by}", location(one.path, one.made, where)),
        ),
        repairs=tuple(_repairs(one)),
    )


def _shown(made_by: str) -> str:
    return made_by if made_by and made_by != _SLICES else "an operation"


# ---- weights that an optimizer has changed ----


def _stepped(makers: Makers, shape: tuple[int, ...]) -> tuple[Step, ast.Call] | None:
    """Returns the last step of an optimizer that owns a weight of this shape, between the forward and the failing line."""
    step = next(step for step in reversed(makers.steps) if step.is_users)
    body, node = step.body(), step.node()
    calls = [
        each
        for each in (own_nodes(body) if body is not None and node is not None else ())
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "step" and each.lineno < step.line
    ]
    for call in sorted(calls, key=span_of, reverse=True):
        assert isinstance(call.func, ast.Attribute)
        optimizer: Any = Reader(step).value(call.func.value)
        if isinstance(optimizer, torch.optim.Optimizer) and any(
            tuple(tensor.shape) in (shape, shape[::-1]) for group in optimizer.param_groups for tensor in group["params"]
        ):
            return (step, call) if _was_there(step, body, node, call.lineno) else None
    return None


def _was_there(step: Step, body: Any, node: Any, line: int) -> bool:
    """Tells whether a part of the graph that an expression stands for was computed above a line."""
    waiting, seen = [node], set[str]()
    while waiting:
        for word in (part.id for part in walk(waiting.pop()) if isinstance(part, ast.Name)):
            held: Any = step.names.get(word)
            if word in seen or not isinstance(held, torch.Tensor) or held.grad_fn is None:
                continue
            seen.add(word)
            statement = binding_before(body, word, step.line)
            if statement is not None and statement.lineno < line:  # type: ignore[attr-defined]
                return True
            waiting += [statement] if statement is not None else []
    return False


def _by_step(step: Step, call: ast.Call, tell: Told) -> Raised:
    assert isinstance(call.func, ast.Attribute)
    word, node = ast.unparse(call.func), step.node()
    backward = ast.unparse(node) if isinstance(node, ast.Call) else "the backward"
    return tell(
        "overwritten",
        operation=f"`{word}()` changed weights that this backward needs as they were",
        detail="goes back through weights that have changed since the forward",
        causes=((f"`{word}()` changes them here, after the forward that used them", location(step.path, call, function_of_step(step))),),
        repairs=(Repair(text=f"`{backward}` before `{word}()`, or the loss computed anew after it"),),
    )


# ---- values that a statement has written into ----


def _places(makers: Makers, made_by: str) -> Iterator[_Found]:
    """Yields the writes that fit: into a result of that node, or by that node into what was read before."""
    modules = list(makers.inventory.modules)
    for path in users_paths((type(module) for module in modules), (step.path for step in makers.steps if step.is_users)):
        tree = tree_of(path)
        for function in walk(tree) if tree is not None else ():
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or function is tree:
                reader = _reader_of(function, path, modules, makers)
                for made, write in _written_after(function, made_by, reader):
                    yield _Found(path, function, made, write, reader)


def _reader_of(function: ast.AST, path: str, modules: list[Any], makers: Makers) -> Reader:
    """Returns what reads the expressions of a function: of a method, those of the first module that has it."""
    name = getattr(function, "name", "")
    for module in modules if name else ():
        code = getattr(method := getattr(type(module), name, None), "__code__", None)
        if code is not None and code.co_filename == path and body_of(code) is function:
            return Reader(Scope({"self": module}, getattr(method, "__globals__", {})))
    step = next((step for step in makers.steps if step.is_users and step.body() is function), None)
    return Reader(step if step is not None else Scope({}, {}))


def _written_after(function: ast.AST, made_by: str, reader: Reader) -> Iterator[tuple[ast.AST, _Write]]:
    arguments = getattr(function, "args", None)
    made: dict[str, ast.AST] = {each.arg: each for each in (arguments.args if arguments is not None else ()) if each.arg != "self"}
    for statement in sorted((item for item in own_nodes(function) if isinstance(item, ast.stmt)), key=span_of):
        for write in _writes_of(statement, reader):
            before = made.get(write.name)
            if before is None:
                continue
            value = getattr(before, "value", None)
            is_result = bool(made_by) and value is not None and made_by in _nodes_of(value, reader)
            is_writer = not made_by or made_by in _nodes_of_write(write, reader)
            if is_result or (is_writer and _is_read_between(function, write.name, before, statement)):
                yield before, write
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            made[statement.targets[0].id] = statement


def _is_read_between(function: ast.AST, name: str, made: ast.AST, write: ast.AST) -> bool:
    begin, end = getattr(made, "lineno", 0), getattr(write, "lineno", 0)
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and begin < node.lineno < end
        for node in walk(function)
    )


def _nodes_of(value: ast.AST, reader: Reader) -> frozenset[str]:
    """Returns what the node may be called that gives an expression its value."""
    if isinstance(value, ast.BinOp):
        return _OPERATORS.get(type(value.op), frozenset())
    if not isinstance(value, ast.Call):
        return frozenset()
    called = reader.value(value.func)
    if isinstance(called, nn.Module):
        while isinstance(called, nn.Sequential) and len(called):
            called = called[len(called) - 1]
        return _named(type(called).__name__)
    return _named(called_name(value))


def _nodes_of_write(write: _Write, reader: Reader) -> frozenset[str]:
    statement = write.statement
    if write.call is not None:
        return _nodes_of(write.call, reader)
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript):
        return _OPERATORS.get(type(statement.op), frozenset())
    return frozenset({_SLICES})


def _named(word: str) -> frozenset[str]:
    bare = word.lower().replace("_", "")
    return _NODES.get(bare, frozenset({bare}))


def _writes_of(statement: ast.stmt, reader: Reader) -> Iterator[_Write]:
    """Yields the writes in place to a name that a simple statement does."""
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
        is_part = isinstance(target, ast.Subscript)
        inner = target.value if isinstance(target, ast.Subscript) else target
        if isinstance(inner, ast.Name) and (is_part or isinstance(statement, ast.AugAssign)):
            yield _Write(inner.id, statement, None)
    if isinstance(statement, (ast.Assign, ast.Expr, ast.Return)) and statement.value is not None:
        for call in walk(statement.value):
            name = _written_by(call, reader) if isinstance(call, ast.Call) else ""
            if name and isinstance(call, ast.Call):
                yield _Write(name, statement, call)


def _written_by(call: ast.Call, reader: Reader) -> str:
    """Returns the name that a call writes into: `h.add_(1)`, `F.relu(h, inplace=True)`, `self.drop(h)`, `torch.add(h, 1, out=h)`."""
    word = called_name(call)
    first = call.args[0] if call.args else next((each.value for each in call.keywords if each.arg == "input"), None)
    given = {each.arg: each.value for each in call.keywords}
    if isinstance(given.get("out"), ast.Name):
        return given["out"].id  # type: ignore[attr-defined]
    if word.endswith("_") and not word.startswith("_") and word not in _NO_WRITES:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        is_method = (
            isinstance(owner, ast.Name) and owner.id not in ("torch", "F", "self") and not isinstance(reader.value(owner), ModuleType)
        )
        receiver = owner if is_method else first
        return receiver.id if isinstance(receiver, ast.Name) else ""
    if not isinstance(first, ast.Name):
        return ""
    flag = given.get("inplace")
    if isinstance(flag, ast.Constant):
        return first.id if flag.value is True else ""
    layer = _layer(reader, call)
    return first.id if getattr(layer, "inplace", False) is True else ""


def _layer(reader: Reader, call: ast.Call | None) -> Any:
    called: Any = reader.value(call.func) if call is not None else UNKNOWN
    return called if isinstance(called, nn.Module) else None


# ---- edits ----


def _repairs(one: _Found) -> Iterator[Repair]:
    write, statement = one.write, one.write.statement
    layer = _layer(one.reader, write.call)
    if layer is not None and write.call is not None:
        edits = _not_in_place(one, write.call, layer)
        if edits and isinstance(statement, ast.Expr):
            edits = (*edits, replacing(one.path, statement, f"{write.name} = {ast.unparse(write.call)}"))
        yield Repair(text=f"`inplace=False` for {type(layer).__name__}", edits=edits)
        return
    text = _out_of_place(write)
    if text:
        yield Repair(text=text, edits=(replacing(one.path, statement, text),))


def _not_in_place(one: _Found, call: ast.Call, layer: Any) -> tuple[Edit, ...]:
    """Returns the edit of the call that built a layer, after which it leaves what it is given alone."""
    owner = one.reader.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
    kept = kept_at(type(owner), call.func.attr) if isinstance(call.func, ast.Attribute) and isinstance(owner, nn.Module) else None
    built = getattr(kept[1], "value", None) if kept is not None else None
    return edited(kept[0], built, layer, "inplace", False) if kept is not None and isinstance(built, ast.Call) else ()


def _out_of_place(write: _Write) -> str:
    """Returns the statement that gives the name a new value instead; empty where it cannot be written down."""
    statement, name = write.statement, write.name
    if write.call is None:
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            return ast.unparse(
                ast.Assign(targets=[statement.target], value=ast.BinOp(ast.Name(name), statement.op, statement.value), lineno=0)
            )
        return f"{name} = {name}.clone(); {ast.unparse(statement)}"
    call = copy.deepcopy(write.call)
    call.keywords = [each for each in call.keywords if each.arg not in ("inplace", "out")]
    func, bare = call.func, called_name(call).rstrip("_")
    if called_name(call).endswith("_"):
        if isinstance(func, ast.Attribute):
            func.attr = bare
            known = hasattr(torch.Tensor, bare) or hasattr(nn.functional, bare)
        elif isinstance(func, ast.Name):
            func.id, known = bare, True
        else:
            known = False
        if not known:
            return ""
    if isinstance(statement, ast.Expr) and statement.value is write.call:
        return f"{name} = {ast.unparse(call)}"
    if isinstance(statement, ast.Assign) and statement.value is write.call:
        return f"{ast.unparse(statement.targets[0])} = {ast.unparse(call)}"
    return ""
