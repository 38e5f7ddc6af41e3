"""Errors of the backward pass: a graph used twice, a value overwritten, a loss that depends on nothing or is no single number."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from tensan.adapters.torch.code_scopes import own_nodes
from tensan.adapters.torch.crashes.expressions import UNKNOWN, Reader
from tensan.adapters.torch.crashes.frames import Step
from tensan.adapters.torch.crashes.makers import Makers, binding_before, function_of_step
from tensan.adapters.torch.crashes.overwrites import overwritten
from tensan.adapters.torch.crashes.switched_off import switched_off
from tensan.adapters.torch.inventory import dtype_name
from tensan.adapters.torch.statements import statements
from tensan.core.edits import Edit, Repair, replacing
from tensan.core.events.run import Raised
from tensan.core.events.things import typed
from tensan.core.sites import Place
from tensan.core.trees import location, span_of, tree_of, walk

#: Nodes of a graph that are walked.
MOST_NODES = 20_000

Told = Callable[..., Raised]


def told(steps: list[Step], makers: Makers, message: str, tell: Told) -> Raised | None:
    """Returns what is wrong where a backward pass, or what leads to one, has ended the program."""
    user = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].is_users), None)
    if user is None:
        return None
    below = steps[user + 1 :]
    if "a leaf Variable that requires grad is being used in an in-place operation" in message:
        return _leaf_written(steps[user], user, makers, tell)
    if "requires grad. Use tensor.detach().numpy()" in message:
        return _array_of_graph(steps, user, makers, tell)
    if not any(step.function in ("backward", "grad") and "torch" in step.path for step in below):
        return None
    loss = next(
        (step.names["self"] for step in below if step.function == "backward" and isinstance(step.names.get("self"), torch.Tensor)), None
    )
    if loss is None:
        return None
    node = steps[user].node()
    receiver = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if not loss.requires_grad:
        return _no_gradient(steps, user, receiver, makers, tell)
    if loss.numel() != 1 and "scalar outputs" in message:
        return _not_scalar(steps[user], user, receiver, loss, makers, tell)
    if "through the graph a second time" in message:
        return _graph_freed(steps[user], user, receiver, loss, makers, tell)
    return overwritten(message, makers, tell)


# ---- one graph, two backwards ----


def _graph_freed(step: Step, user: int, receiver: ast.AST | None, loss: Any, makers: Makers, tell: Told) -> Raised:
    name = ast.unparse(receiver) if receiver is not None else "loss"
    nodes = _nodes(loss.grad_fn)
    loop = _loop_around(step)
    carried = (
        [(word, kind) for word, kind in _carried(step, loop) if any(_nodes(item.grad_fn) & nodes for item in _held(step, word))]
        if loop
        else []
    )
    if carried and loop is not None:
        word, is_tuple = carried[0]
        statement = _statement_at(step)
        expression = f"tuple(item.detach() for item in {word})" if is_tuple else f"{word}.detach()"
        edits = _inserted_after(step, statement, f"{word} = {expression}") if statement is not None else ()
        written = binding_before(step.body() or ast.Module([], []), word, 1 << 30)
        return tell(
            "graph-freed",
            operation=f"`{word}` carries the graph of the step before into this one",
            detail=f"goes back through the step before, whose graph has been freed, by way of `{word}`",
            causes=(
                (
                    f"`{word}` is carried from here into the next step with its graph",
                    location(step.path, written, function_of_step(step)) if written is not None else None,
                ),
            ),
            repairs=(Repair(text=f"`{word} = {expression}` after `{name}.backward()`", edits=edits),),
        )
    shared = _before(step, loop, nodes)
    causes: list[tuple[str, Place]] = [
        (f"`{word}` was computed here, once, and used for more than one backward", place) for word, place in shared
    ]
    earlier = _earlier_backward(step, loop)
    repairs: tuple[Repair, ...] = ()
    if earlier is not None and not shared:
        causes += _common(step, earlier, nodes)
    if earlier is not None:
        causes.append(("this backward has freed what the two have in common", location(step.path, earlier, function_of_step(step))))
        if not earlier.keywords and not earlier.args:
            text = f"{ast.unparse(earlier.func)}(retain_graph=True)"
            repairs = (Repair(text=text, edits=(replacing(step.path, earlier, text),)),)
    return tell(
        "graph-freed",
        operation=f"`{name}` goes back through a graph that an earlier backward has freed",
        detail="a part of this graph has been freed",
        causes=tuple(causes[:2]),
        repairs=repairs,
    )


def _nodes(root: Any) -> set[Any]:
    seen, waiting = set(), [root]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node is not None and node not in seen:
            if node.name() != "torch::autograd::AccumulateGrad":  # parameters are common to all graphs
                seen.add(node)
            waiting += [following for following, _ in node.next_functions]
    return seen


def _held(step: Step, word: str) -> list[Any]:
    value: Any = step.names.get(word)
    several = value if isinstance(value, (tuple, list)) else [value]
    return [item for item in several if isinstance(item, torch.Tensor) and item.grad_fn is not None]


def _loop_around(step: Step) -> Any:
    """Returns the innermost loop around the failing line, in its own function."""
    body = step.body()
    loops = [
        node
        for node in (own_nodes(body) if body is not None else ())
        if isinstance(node, (ast.For, ast.While)) and node.lineno < step.line <= (node.end_lineno or 0)
    ]
    return max(loops, key=lambda node: node.lineno, default=None)


def _carried(step: Step, loop: Any) -> Iterator[tuple[str, bool]]:
    """Yields the names that a loop reads before it writes them, and whether each holds several tensors."""
    read: dict[str, tuple[int, int]] = {}
    written: dict[str, tuple[int, int]] = {}
    for node in walk(loop):
        if isinstance(node, ast.Name):
            store = written if isinstance(node.ctx, ast.Store) else read
            store.setdefault(node.id, (node.lineno, node.col_offset))
            store[node.id] = min(store[node.id], (node.lineno, node.col_offset))
    for word in written.keys() & read.keys():
        if _held(step, word) and read[word][0] <= written[word][0]:
            yield word, isinstance(step.names.get(word), (tuple, list))


def _before(step: Step, loop: Any, nodes: set[Any]) -> list[tuple[str, Place]]:
    found: list[tuple[str, Place]] = []
    inside = (
        {item.id for item in walk(loop) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)} if loop is not None else set()
    )
    for word in step.names:
        held = _held(step, word)
        if held and word not in inside and any(item.grad_fn in nodes for item in held):
            statement = binding_before(step.body() or ast.Module([], []), word, step.line)
            if statement is not None:
                found.append((word, location(step.path, statement, function_of_step(step))))
    return found[:1]


def _common(step: Step, earlier: ast.Call, nodes: set[Any]) -> list[tuple[str, Place]]:
    """Returns what an earlier loss was computed from that this one is computed from too: the last of it."""
    body = step.body() or ast.Module([], [])
    found = []
    for word in step.names:
        held = _held(step, word)
        made = binding_before(body, word, earlier.lineno) if held and all(item.grad_fn in nodes for item in held) else None
        if made is not None and getattr(made, "lineno", 0) < earlier.lineno:
            found.append((getattr(made, "lineno", 0), word, made))
    return [
        (f"`{word}` was computed here, and both losses go back through it", location(step.path, made, function_of_step(step)))
        for _, word, made in sorted(found, key=lambda item: item[0])[-1:]
    ]


def _earlier_backward(step: Step, loop: Any) -> ast.Call | None:
    calls = [
        node
        for node in own_nodes(step.body() or ast.Module([], []))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward" and node.lineno < step.line
    ]
    return max(calls, key=lambda node: node.lineno, default=None)


# ---- written in place ----


def _leaf_written(step: Step, user: int, makers: Makers, tell: Told) -> Raised | None:
    statement = _statement_at(step)
    node = step.node()
    if isinstance(node, ast.AugAssign):
        target: ast.AST | None = node.target
    else:
        target = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if target is None or statement is None:
        return None
    name = ast.unparse(target)
    maker = makers.of(user, target)
    several = _same_again(step, statement)
    first, last = several[0], several[-1]
    lines = [line for number in range(first.lineno, (last.end_lineno or last.lineno) + 1) for line in [_source(step.path, number)]]
    indent = lines[0][: first.col_offset]
    # Whole lines are moved in: nothing else may stand on them.
    alone = not indent.strip() and lines[-1].encode()[last.end_col_offset :].decode("utf-8", "replace").strip()[:1] in ("", "#")
    text = f"{indent}with torch.no_grad():\n" + "".join(f"    {line}\n" for line in lines)
    edit = Edit(path=step.path, line=first.lineno, column=1, end_line=(last.end_lineno or last.lineno) + 1, end_column=1, replacement=text)
    with_torch = step.globals.get("torch") is torch
    return tell(
        "overwritten",
        operation=f"`{name}`, which is trained, is written in place where gradients are recorded",
        detail=f"`{name}` is a leaf that requires gradient",
        causes=((f"`{name}` was made here", maker.made if maker is not None else None),),
        repairs=(Repair(text="`with torch.no_grad():` around the update", edits=(edit,) if with_torch and alone else ()),),
    )


def _same_again(step: Step, statement: ast.stmt) -> list[ast.stmt]:
    """Returns the statement and those right after it that write into a leaf too."""
    tree = tree_of(step.path)
    for node in walk(tree) if tree is not None else ():
        for field in ("body", "orelse", "finalbody"):
            several = getattr(node, field, None)
            if isinstance(several, list) and statement in several:
                found, reader = [statement], Reader(step)
                for other in several[several.index(statement) + 1 :]:
                    held: Any = reader.value(other.target) if isinstance(other, ast.AugAssign) else None
                    if not (isinstance(held, torch.Tensor) and held.is_leaf and held.requires_grad):
                        break
                    found.append(other)
                return found
    return [statement]


# ---- no gradient, no scalar, no array ----


def _no_gradient(steps: list[Step], user: int, receiver: ast.AST | None, makers: Makers, tell: Told) -> Raised:
    step = steps[user]
    name = ast.unparse(receiver) if receiver is not None else "loss"
    cut = _cut(step, receiver, set())
    causes: tuple[tuple[str, Place], ...] = ()
    repairs: tuple[Repair, ...] = ()
    off = switched_off(step, receiver) if cut is None else None
    if off is not None:
        causes, repairs = off
    if cut is not None:
        statement, node, source = cut
        what = ast.unparse(node) if node is not None else ast.unparse(statement)
        causes = ((f"the graph ends here, with `{what}`", location(step.path, node or statement, function_of_step(step))),)
        is_differentiable = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("argmax", "argmin", "round", "sign")
        )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("detach",) and not node.args:
            kept = ast.unparse(node.func.value)
            repairs = (Repair(text=f"`{kept}` without `.detach()`", edits=(replacing(step.path, node, kept),)),)
        elif isinstance(node, ast.Attribute):
            kept = ast.unparse(node.value)
            repairs = (Repair(text=f"`{kept}` without `.{node.attr}`", edits=(replacing(step.path, node, kept),)),)
        elif is_differentiable:
            repairs = (Repair(text=f"a loss of `{source}` itself: which is largest has no gradient"),)
        elif source:
            repairs = (Repair(text=f"a loss of `{source}` itself, which still has its graph"),)
    return tell(
        "no-gradient",
        operation=f"`{name}` depends on nothing that requires gradient",
        detail="there is nothing to differentiate",
        causes=causes,
        repairs=repairs,
    )


def _cut(step: Step, node: ast.AST | None, seen: set[str]) -> tuple[ast.AST, ast.AST | None, str] | None:
    """Returns where the graph ends: the statement, the call that ends it, and what went in with its graph."""
    if node is None:
        return None
    reader = Reader(step)
    for item in walk(node):
        ends = isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) and item.func.attr in _ENDS
        ends = ends or (isinstance(item, ast.Attribute) and item.attr == "data")
        if ends:
            inner = item.func.value if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) else item.value  # type: ignore[attr-defined]
            if _has_graph(reader, inner):
                return node, item, ast.unparse(inner)
    for item in walk(node):
        if isinstance(item, ast.Name) and item.id not in seen:
            seen.add(item.id)
            held: Any = step.names.get(item.id)
            statement = (
                binding_before(step.body() or ast.Module([], []), item.id, step.line) if isinstance(held, (torch.Tensor, float)) else None
            )
            if statement is None or (isinstance(held, torch.Tensor) and held.requires_grad):
                continue
            found = _cut(step, getattr(statement, "value", None), seen)
            if found is not None:
                return found
            rest = [word.id for word in walk(getattr(statement, "value", None) or statement) if isinstance(word, ast.Name)]
            graphed = next((word for word in rest if isinstance(step.names.get(word), torch.Tensor) and step.names[word].requires_grad), "")
            if graphed:
                return statement, None, graphed
    return None


_ENDS = frozenset(["argmax", "argmin", "detach", "item", "numpy", "tolist", "round", "sign", "detach_", "long", "int"])


def _has_graph(reader: Reader, node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        function = reader.value(node.func)
        if isinstance(function, nn.Module):
            return any(parameter.requires_grad for parameter in function.parameters())
    return any(
        isinstance(value := reader.value(item), torch.Tensor) and value.requires_grad
        for item in walk(node)
        if isinstance(item, ast.Name) and value_known(reader, item)
    )


def value_known(reader: Reader, node: ast.AST) -> bool:
    """Tells whether a name stands for something that is known."""
    return reader.value(node) is not UNKNOWN


def _not_scalar(step: Step, user: int, receiver: ast.AST | None, loss: Any, makers: Makers, tell: Told) -> Raised:
    name = ast.unparse(receiver) if receiver is not None else "loss"
    maker = makers.of(user, receiver) if receiver is not None else None
    repairs: tuple[Repair, ...] = ()
    if receiver is not None:
        whole = name if isinstance(receiver, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({name})"
        repairs = (Repair(text=f"{whole}.mean().backward()", edits=(replacing(step.path, receiver, f"{whole}.mean()"),)),)
    kind = typed(dtype_name(loss), tuple(loss.shape))
    return tell(
        "not-scalar",
        operation=f"`{name}` is {kind}, not one number: its gradient is not defined",
        detail=f"{loss.numel()} numbers",
        causes=((f"`{name}` is made here", maker.made),) if maker is not None else (),
        repairs=repairs,
    )


def _array_of_graph(steps: list[Step], user: int, makers: Makers, tell: Told) -> Raised | None:
    step = steps[user]
    node = step.node()
    if not isinstance(node, ast.Call):
        return None
    is_method = isinstance(node.func, ast.Attribute) and node.func.attr == "numpy"
    reader = Reader(step)
    given = (
        node.func.value
        if is_method and isinstance(node.func, ast.Attribute)
        else next((arg for arg in node.args if _graphed(reader, arg)), None)
    )
    if given is None:
        return None
    maker = makers.of(user, given)
    name = ast.unparse(given)
    text = f"{name}.detach(){'.numpy()' if is_method else ''}"
    return tell(
        "array-of-graph",
        operation=f"`{name}` still belongs to the graph of a step and cannot become an array",
        detail=f"`{name}` requires gradient",
        causes=((f"`{name}`, {maker.text}", maker.made),) if maker is not None else (),
        repairs=(Repair(text=text, edits=(replacing(step.path, node if is_method else given, text),)),),
    )


def _graphed(reader: Reader, node: ast.AST) -> bool:
    value = reader.value(node)
    return isinstance(value, torch.Tensor) and value.requires_grad


# ---- statements ----


def _statement_at(step: Step) -> ast.stmt | None:
    body, span = step.body(), step.span
    if body is None or span is None:
        return None
    around = [item for item, _ in statements(body) if span_of(item)[:2] <= span[:2] and span[2:] <= span_of(item)[2:]]
    return max(around, key=span_of, default=None)


def _inserted_after(step: Step, statement: ast.stmt, text: str) -> tuple[Edit, ...]:
    line = (statement.end_lineno or statement.lineno) + 1
    return (Edit(path=step.path, line=line, column=1, end_line=line, end_column=1, replacement=f"{' ' * statement.col_offset}{text}\n"),)


def _source(path: str, line: int) -> str:
    import linecache

    return linecache.getline(path, line).rstrip("\n")
