"""Who made an operand: the line that produced it, and the layer whose result it is, wherever that was built."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from tensan.adapters.torch.code_scopes import own_nodes
from tensan.adapters.torch.crashes.definitions import kept_at
from tensan.adapters.torch.crashes.expressions import Reader
from tensan.adapters.torch.crashes.frames import Scope, Step
from tensan.adapters.torch.crashes.layers import described, last_layer
from tensan.adapters.torch.crashes.rounds import bound_in_round_before
from tensan.adapters.torch.inventory import Inventory
from tensan.core.sites import Location, Place, is_users
from tensan.core.trees import body_of, called_name, location, tree_of, walk

#: Names that are followed from one to the next.
MOST_HOPS = 12
#: Products of two matrices, whose result has the rows of the one and the columns of the other.
_PRODUCTS = frozenset({"matmul", "mm", "bmm"})
_SAME_WIDTH = frozenset(
    "relu elu gelu silu sigmoid tanh softmax log_softmax normalize dropout leaky_relu softplus contiguous float double half to "  # noqa: SIM905
    "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d".split()
)


class Maker:
    """Who made an operand.

    Attributes:
        made: the line that produced it; text: how, such as `made by Linear(in_features=8, out_features=1)`.
        layer: the layer that gave it its width; built: where that layer was built.
    """

    def __init__(self, *, made: Place, text: str = "made here", layer: Any = None, built: Place = None) -> None:
        self.made, self.text, self.layer, self.built = made, text, layer, built


class Makers:
    """Follows operands back through the frames of a traceback."""

    def __init__(self, steps: Sequence[Step], inventory: Inventory) -> None:
        self.steps, self.inventory = steps, inventory

    # ---- layers ----

    def built(self, layer: Any) -> Place:
        """Returns where the program built a layer."""
        for part in layer.modules():
            for tensor in part._parameters.values():
                if tensor is not None:
                    return self.inventory.known(tensor, registered=True).made
        return self.inventory.listed_at.get(layer)

    def by_layer(self, module: Any, made: Place) -> Maker:
        """Returns that a module made something at a place."""
        layer = last_layer(module)
        shown = layer if layer is not None and not type(module).__module__.startswith("torch.nn") else module
        return Maker(made=made, text=f"made by {described(shown)}", layer=layer, built=self.built(layer) if layer is not None else None)

    # ---- names and expressions ----

    def of(self, index: int, node: ast.AST | None, hops: int = 0) -> Maker | None:
        """Returns who made what an expression in a user's frame stands for."""
        step = self.steps[index]
        if node is None or hops > MOST_HOPS:
            return None
        if isinstance(node, ast.Starred):
            node = node.value
        if isinstance(node, ast.Name):
            return self._of_name(index, node.id, hops)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(index, node, hops)
        maker = Maker(made=location(step.path, node, function_of_step(step)), text=self._of_product(index, node, hops) or "made here")
        module = self._module_of(step, node)
        if module is not None:
            return self.by_layer(module, maker.made)
        words = [item for item in walk(node) if isinstance(item, ast.Name) and isinstance(Reader(step).value(item), torch.Tensor)]
        if len({word.id for word in words}) == 1:  # `mask == 0`: what matters is the mask
            inner = self.of(index, words[0], hops + 1)
            if inner is not None:
                return Maker(made=inner.made, text=f"computed from `{words[0].id}`, {inner.text}", built=inner.built)
        return maker

    def _module_of(self, step: Scope, node: ast.AST) -> Any:
        """Returns the module whose result an expression is, up to functions that keep its width."""
        for _ in range(4):
            if isinstance(node, ast.BinOp):
                if isinstance(node.op, ast.MatMult):
                    return None
                node = node.left if isinstance(node.left, ast.Call) else node.right
            if not isinstance(node, ast.Call):
                return None
            function = Reader(step).value(node.func)
            if isinstance(function, nn.Module):
                return function
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in _SAME_WIDTH:
                return None
            on_tensor = not node.args or isinstance(node.func.value, ast.Call)
            node = node.func.value if on_tensor else node.args[0]
        return None

    def _of_product(self, index: int, node: ast.AST | None, hops: int) -> str:
        """Returns who made the rows and the columns of a product of two matrices; empty where an expression is none."""
        while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.Add, ast.Sub)):  # scaled, or with a bias
            node = node.left if not isinstance(node.left, ast.Constant) else node.right
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            factors: Sequence[ast.AST] = (node.left, node.right)
        elif isinstance(node, ast.Call) and called_name(node) in _PRODUCTS:
            is_method = isinstance(node.func, ast.Attribute) and isinstance(Reader(self.steps[index]).value(node.func.value), torch.Tensor)
            factors = (*([node.func.value] if is_method and isinstance(node.func, ast.Attribute) else []), *node.args)[:2]
        else:
            return ""
        if len(factors) != 2:
            return ""
        told = []
        for word, factor in zip(("rows", "columns"), factors, strict=True):
            maker = self.of(index, factor, hops + 3)
            where = _line(maker.made) if maker is not None else ""
            if where:
                told.append(f"{word} of `{ast.unparse(factor)}` from {where}")
        return f"made here, {', '.join(told)}" if told else ""

    def _of_name(self, index: int, name: str, hops: int) -> Maker | None:
        step = self.steps[index]
        own_body = step.body()
        rebound = bound_in_round_before(step, own_body, name, _binds) if own_body is not None else None
        if rebound is not None:
            return self._of_binding(index, name, rebound.statement, hops, rebound.scope)
        for body in (own_body, tree_of(step.path)):
            if body is None:
                continue
            own = body is not tree_of(step.path) or step.function == "<module>"
            if own and step.function != "<module>" and name in _parameters(step) and not _bound_before(body, name, step.line):
                return self._of_argument(index, name, hops)
            found = binding_before(body, name, step.line if own else 1 << 30)
            if found is not None:
                at = index if own else self._module_step(index)
                return self._of_binding(at, name, found, hops)
            if own and step.function != "<module>" and name in _parameters(step):
                return self._of_argument(index, name, hops)
        return None

    def _module_step(self, index: int) -> int:
        path = self.steps[index].path
        return next((at for at, step in enumerate(self.steps) if step.function == "<module>" and step.path == path), index)

    def _of_binding(self, index: int, name: str, statement: ast.AST, hops: int, scope: Scope | None = None) -> Maker | None:
        step = self.steps[index]
        place = location(step.path, statement, function_of_step(step))
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.comprehension)):
            return self._of_loop(index, name, statement, hops)
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Tuple, ast.List)):
            position = _position(statement.targets[0], name)
            if isinstance(value, (ast.Tuple, ast.List)) and position is not None and position < len(value.elts):
                value = value.elts[position]
            elif isinstance(value, ast.Name):
                return self.of(index, value, hops + 1) or Maker(made=place)
        if isinstance(value, ast.Name) and value.id != name:
            return self.of(index, value, hops + 1) or Maker(made=place)
        module = self._module_of(scope or step, value) if value is not None else None
        if module is not None:
            return self.by_layer(module, place)
        return Maker(made=place, text=self._of_product(index, value, hops) or "made here")

    def _of_loop(self, index: int, name: str, loop: Any, hops: int) -> Maker | None:
        step = self.steps[index]
        at = location(step.path, loop.target, function_of_step(step))
        iterated = loop.iter
        if (
            isinstance(iterated, ast.Call)
            and isinstance(iterated.func, ast.Name)
            and iterated.func.id in ("enumerate", "tqdm")
            and iterated.args
        ):
            iterated = iterated.args[0]
        held = Reader(step).value(iterated)
        if isinstance(held, torch.utils.data.DataLoader) and isinstance(iterated, (ast.Name, ast.Attribute)):
            made = self.of(index, iterated, hops + 1) if isinstance(iterated, ast.Name) else None
            where = _line(made.made) if made is not None else ""
            return Maker(made=at, text=f"delivered by `{ast.unparse(iterated)}`{f', made at {where}' if where else ''}")
        if isinstance(iterated, ast.Name):
            return self.of(index, iterated, hops + 1) or Maker(made=at)
        if isinstance(iterated, ast.Call):
            inside = self._in_generator(step, iterated, _position(loop.target, name))
            if inside is not None:
                return inside
        return Maker(made=at)

    def _in_generator(self, step: Step, call: ast.Call, position: int | None) -> Maker | None:
        function = Reader(step).value(call.func)
        code = getattr(function, "__code__", None)
        if code is None or not is_users(code.co_filename):
            return None
        body = body_of(code)
        given = [node.value for node in walk(body) if isinstance(node, ast.Yield) and node.value] if body is not None else []
        if len(given) != 1 or body is None:
            return None
        node = given[0]
        if position is not None and isinstance(node, ast.Tuple) and position < len(node.elts):
            node = node.elts[position]
        if isinstance(node, ast.Name):
            node = binding_before(body, node.id, node.lineno) or node
        return Maker(made=location(code.co_filename, node, code.co_name))

    def _of_attribute(self, index: int, node: ast.Attribute, hops: int) -> Maker | None:
        step = self.steps[index]
        held = Reader(step).value(node)
        owner = Reader(step).value(node.value)
        if isinstance(owner, torch.Tensor):  # `b.T`: what matters is `b`
            return self.of(index, node.value, hops + 1)
        at = location(step.path, node, function_of_step(step))
        if isinstance(held, nn.Parameter):
            return Maker(
                made=self.inventory.known(held).made or at,
                text=f"a parameter of {described(owner)}" if isinstance(owner, nn.Module) else "a parameter",
            )
        kept = kept_at(type(owner), node.attr)
        if kept is not None or isinstance(owner, nn.Module):
            return Maker(made=location(*kept, type(owner).__name__) if kept is not None else at, text=f"kept by {type(owner).__name__}")
        return Maker(made=at)

    # ---- arguments ----

    def given_when_built(self, index: int, called: ast.expr, name: str) -> Maker | None:
        """Returns who made what a layer without parameters, which is called by a name, was given for a setting when it was built."""
        path, statement, at = self.bound(index, called)
        if statement is None:
            return None
        if at is None:
            return Maker(made=location(path, statement), text="given here")
        built = getattr(statement, "value", None)
        if not isinstance(built, ast.Call):
            return None
        given = next((keyword.value for keyword in built.keywords if keyword.arg == name), built)
        return self.of(at, given) or Maker(made=location(path, statement, function_of_step(self.steps[at])), text="given here")

    def bound(self, index: int, called: ast.expr | None) -> tuple[str, ast.AST | None, int | None]:
        """Returns the file and the statement that gave something its name, by which it is called; and the frame of it where that runs."""
        step = self.steps[index]
        if isinstance(called, ast.Name):
            bodies = [(index, step.body(), step.line), (self._module_step(index), tree_of(step.path), 1 << 30)]
            for at, body, line in bodies:
                statement = binding_before(body, called.id, line) if body is not None else None
                if statement is not None:
                    return step.path, statement, at
        elif isinstance(called, ast.Attribute):
            owner = Reader(step).value(called.value)
            kept = kept_at(type(owner), called.attr) if isinstance(owner, nn.Module) else None
            if kept is not None:
                return *kept, None
        return step.path, None, None

    def _of_argument(self, index: int, name: str, hops: int) -> Maker | None:
        names = [item for item in _parameters(self.steps[index]) if item != "self"]
        return self.entering(index, names.index(name) if name in names else 0, name, hops + 1)

    def entering(self, index: int, position: int, name: str, hops: int = 0) -> Maker | None:
        """Returns who made the argument that a frame was called with."""
        above = self.caller(index)
        if above is None:
            return None
        before = self.before_in_sequence(above, index)
        call = self.steps[above].node()
        if before is not None:
            previous, wide = before
            at = location(self.steps[above].path, call, function_of_step(self.steps[above])) if call is not None else None
            layer = wide if wide is not None else None
            return Maker(
                made=at, text=f"made by {described(previous)}", layer=layer, built=self.built(layer) if layer is not None else None
            )
        node = self.argument_node(above, position, name)
        return self.of(above, node, hops) if node is not None else None

    def caller(self, index: int) -> int | None:
        """Returns the innermost user's frame above a frame."""
        return next((at for at in range(index - 1, -1, -1) if self.steps[at].is_users), None)

    def before_in_sequence(self, above: int, index: int) -> tuple[Any, Any] | None:
        """Returns the layer that a sequence called right before what runs in a frame, and the one that gave its result its width."""
        inner = self.steps[index].names.get("self")
        for at in range(index - 1, above, -1):
            step = self.steps[at]
            owner: Any = step.names.get("self")
            if step.function == "forward" and isinstance(owner, nn.Sequential):
                parts = list(owner)
                place = next((number for number, part in enumerate(parts) if part is inner), 0)
                if place > 0:
                    return parts[place - 1], last_layer(nn.Sequential(*parts[:place]))
                inner = owner
        return None

    def argument_node(self, above: int, position: int, name: str) -> ast.AST | None:
        """Returns the expression that a user's call gives for an argument."""
        call = self.steps[above].node()
        if not isinstance(call, ast.Call) or any(isinstance(arg, ast.Starred) for arg in call.args):
            return None
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        return call.args[position] if position < len(call.args) else None


def function_of_step(step: Step) -> str:
    """Returns the name of the function that a frame is in; empty for a module."""
    return "" if step.function == "<module>" else step.code.co_qualname


def _parameters(step: Step) -> tuple[str, ...]:
    code = step.code
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _bound_before(body: ast.AST, name: str, line: int) -> bool:
    return binding_before(body, name, line) is not None


def binding_before(body: ast.AST, name: str, line: int) -> ast.AST | None:
    """Returns the last statement above a line that binds a name."""
    found: list[tuple[int, ast.AST]] = []
    for node in own_nodes(body):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets: Sequence[ast.AST] = node.targets if isinstance(node, ast.Assign) else [node.target]
            if (node.end_lineno or node.lineno) < line and any(_binds(target, name) for target in targets):
                found.append((node.lineno, node))
        elif isinstance(node, (ast.For, ast.AsyncFor)) and node.lineno < line and _binds(node.target, name):
            found.append((node.lineno, node))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _binds(target: ast.AST, name: str) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_binds(item, name) for item in target.elts)
    return isinstance(target, ast.Name) and target.id == name


def _position(target: ast.AST, name: str) -> int | None:
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    return next((number for number, item in enumerate(elements) if _binds(item, name)), None)


def _line(place: Place) -> str:
    return f"{os.path.basename(place.path)}:{place.line}" if isinstance(place, Location) else ""
