"""Finds switches that the program set where PyTorch never looks, such as `requires_grad` of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torch import nn

from tensan.adapters.torch.statements import resolve, targets_of, users_modules
from tensan.adapters.torch.variables import scopes
from tensan.core.events.source import UnreadAttribute
from tensan.core.sites import Location
from tensan.core.trees import location, tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: What programs set on a module to freeze it.
ON_MODULES = ("requires_grad", "trainable")
#: What they set on a parameter where `requires_grad` was meant.
ON_PARAMETERS = ("requires_grad_", "require_grad", "required_grad", "requires_gradient", "requires_grads", "trainable")
#: Modules of a root that are looked through.
MOST_MODULES = 2_000
#: Backwards that are looked at while nothing about the modules changes.
FIRST_LOOKS = 3


class Attributes:
    """Looks at the first backwards, and again whenever modules change."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0
        self._generation = -1
        self._told: set[tuple[int, str]] = set()

    def look(self, roots: list[Any], reached: set[int]) -> None:
        """A backward is about to give gradients to the parameters whose ids are given."""
        inventory = self.recorder.inventory
        if self._generation != inventory.generation:
            self._generation, self._looks = inventory.generation, 0
        self._looks += 1
        if self._looks > FIRST_LOOKS:
            return
        for root in roots:
            for count, module in enumerate(root.modules()):
                if count >= MOST_MODULES:
                    return
                self._look_at_module(module, reached)

    def _look_at_module(self, module: Any, reached: set[int]) -> None:
        own = vars(module)
        for name in ON_MODULES:
            if own.get(name) is False and not _reads(module, name):
                trained = [tensor for tensor in module.parameters() if id(tensor) in reached]
                if trained and all(tensor.requires_grad for tensor in module.parameters()):
                    self._tell(module, name, value=False, kind="module", parameters=trained)
        for tensor in module._parameters.values():
            extra = getattr(tensor, "__dict__", None)
            for name in ON_PARAMETERS if extra else ():
                value = extra.get(name) if extra else None
                if isinstance(value, bool) and value is not tensor.requires_grad and (value or id(tensor) in reached):
                    self._tell(tensor, name, value=value, kind="parameter", parameters=[tensor])

    def _tell(self, owner: Any, name: str, *, value: bool, kind: str, parameters: list[Any]) -> None:
        inventory = self.recorder.inventory
        if (id(owner), name) in self._told:
            return
        self._told.add((id(owner), name))
        described = tuple(inventory.describe(tensor) for tensor in parameters[:64])
        self.recorder.watch.emit(
            UnreadAttribute(
                step=self.recorder.watch.steps,
                site=_statement(owner, name, kind),
                kind=kind,
                name=name,
                value=value,
                owner=(inventory.path_of(owner) or type(owner).__name__) if kind == "module" else described[0].name,
                num_parameters=len(parameters),
                parameters=described,
            )
        )


def _reads(module: Any, name: str) -> bool:
    """Tells whether a module's class, where it is none of torch's own, has the name in its code: then it means something there."""
    for kind in type(module).__mro__:
        if kind.__module__.startswith("torch."):
            break
        for item in vars(kind).values():
            code = getattr(item, "__code__", None)
            if code is not None and name in code.co_names:
                return True
    return False


def _statement(owner: Any, name: str, kind: str) -> Location | None:
    """Returns the assignment to an owner's attribute: one that is known to be it, or else the first that may be."""
    running = list(scopes())
    likely = None
    for module in users_modules():
        path = str(module.__file__)
        tree = tree_of(path)
        loops = [node for node in walk(tree) if isinstance(node, ast.For)] if tree is not None else []
        of_parameters = {
            id(inner)
            for loop in loops
            if "parameters(" in ast.unparse(loop.iter)
            for inner in walk(loop)
            if isinstance(inner, ast.Assign)
            and isinstance(inner.targets[0], ast.Attribute)
            and isinstance(inner.targets[0].value, ast.Name)
            and inner.targets[0].value.id in targets_of([(loop, "body")])
        }
        for node in walk(tree) if tree is not None else ():
            if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr == name):
                continue
            base = node.targets[0].value
            found = resolve(base, *_selves(base, owner), *running, vars(module))
            if found is owner:
                return location(path, node, "")
            in_loop = id(node) in of_parameters  # the loop's variable has moved on
            unclear = in_loop or not isinstance(found, (nn.Module, nn.Parameter))
            if likely is None and unclear and in_loop == (kind == "parameter"):
                likely = location(path, node, "")
    return likely


def _selves(base: ast.expr, owner: Any) -> Iterator[dict[str, Any]]:
    if isinstance(owner, nn.Module) and isinstance(base, ast.Name) and base.id == "self":
        yield {"self": owner}
