"""Errors of what is handed over whole: a state that does not fit its model, an optimizer without parameters, devices that differ."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from tensan.adapters.torch.crashes.definitions import kept_at
from tensan.adapters.torch.crashes.expressions import Reader
from tensan.adapters.torch.crashes.frames import Step
from tensan.adapters.torch.crashes.graphs import Told
from tensan.adapters.torch.crashes.layers import INPUT_WIDTHS, OUTPUT_WIDTHS, described
from tensan.adapters.torch.crashes.makers import Makers
from tensan.adapters.torch.crashes.settings import resized
from tensan.adapters.torch.inventory import dtype_name
from tensan.core.edits import Repair, replacing
from tensan.core.events.run import Raised
from tensan.core.events.things import typed
from tensan.core.sites import Place
from tensan.core.trees import location

_WIDTHS = ("num_embeddings", *INPUT_WIDTHS, *OUTPUT_WIDTHS)


def state_told(steps: list[Step], makers: Makers, tell: Told) -> Raised | None:
    """Returns how a state differs from the model that it was loaded into."""
    step = next(
        (
            step
            for step in steps
            if step.function == "load_state_dict" and not step.is_users and isinstance(step.names.get("self"), nn.Module)
        ),
        None,
    )
    if step is None:
        return None
    model, state = step.names["self"], step.names.get("state_dict")
    if not isinstance(state, Mapping):
        return None
    own = dict(model.state_dict())
    differing = [
        (name, own[name], value)
        for name, value in state.items()
        if name in own and hasattr(value, "shape") and own[name].shape != value.shape
    ]
    missing, unexpected = [name for name in own if name not in state], [name for name in state if name not in own]
    if not differing:
        return _names_differ(steps, missing, unexpected, tell)
    name, mine, theirs = differing[0]
    layer = model.get_submodule(name.rpartition(".")[0]) if "." in name else model
    axis = next((at for at in range(min(mine.dim(), theirs.dim())) if mine.shape[at] != theirs.shape[at]), 0)
    repairs = []
    for width in _WIDTHS:
        if mine.dim() == theirs.dim() and mine.dim() and getattr(layer, width, None) == mine.shape[axis]:
            repairs.append(resized(makers, layer, width, int(theirs.shape[axis])))
            break
    return tell(
        "state",
        operation=f"`{name}` is {_typed(mine)} in the model and {_typed(theirs)} in the state",
        detail=f"{len(differing)} of {len(own)} entries differ in shape",
        causes=((f"`{name}` belongs to {described(layer)}, built here", makers.built(layer)),),
        repairs=tuple(repairs),
    )


def _names_differ(steps: list[Step], missing: list[str], unexpected: list[str], tell: Told) -> Raised | None:
    if not missing and not unexpected:
        return None
    repairs: list[Repair] = []
    for prefix in ("module.", "model.", "_orig_mod.", "encoder.", "backbone."):
        stripped = {name.removeprefix(prefix) for name in unexpected}
        if unexpected and all(name.startswith(prefix) for name in unexpected) and stripped == set(missing):
            repairs.append(Repair(text=f"{{name.removeprefix({prefix!r}): value for name, value in state.items()}}"))
        if missing and {prefix + name for name in unexpected} == set(missing):
            repairs.append(Repair(text=f"{{{prefix!r} + name: value for name, value in state.items()}}"))
    return tell(
        "state",
        operation=f"the state has {_some(unexpected)} where the model has {_some(missing)}"
        if unexpected and missing
        else f"the state lacks {_some(missing)}"
        if missing
        else f"the model has no {_some(unexpected)}",
        detail=f"{len(missing)} missing, {len(unexpected)} unexpected",
        repairs=tuple(repairs[:1]),
    )


def _some(names: list[str]) -> str:
    return f"`{names[0]}`" + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _typed(tensor: Any) -> str:
    return typed(dtype_name(tensor), tuple(tensor.shape))


def empty_told(steps: list[Step], makers: Makers, message: str, tell: Told) -> Raised | None:
    """Returns why an optimizer got no parameters: layers in plain lists, which the module does not know."""
    if "empty parameter list" not in message or not any(step.function == "__init__" and "optim" in step.path for step in steps):
        return None
    user = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].is_users), None)
    if user is None:
        return None
    node, reader = steps[user].node(), Reader(steps[user])
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    owner = reader.value(given.func.value) if isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) else None
    causes: tuple[tuple[str, Place], ...] = ()
    repairs: tuple[Repair, ...] = ()
    detail = "there is nothing that it could train"
    if isinstance(owner, nn.Module):
        for name, value in vars(owner).items():
            held = list(value.values()) if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]
            if name.startswith("_") or not held or not all(isinstance(item, nn.Module) for item in held):
                continue
            wrapper = "ModuleDict" if isinstance(value, dict) else "ModuleList"
            place, edits = _listed(type(owner), name, wrapper)
            causes = (
                (
                    f"`self.{name}` is a plain {type(value).__name__} of {len(held)} layers, whose parameters the module does not know",
                    place,
                ),
            )
            repairs = (Repair(text=f"self.{name} = nn.{wrapper}(...)", edits=edits),)
            break
        detail = f"`{ast.unparse(given)}` yields nothing" if given is not None else detail
    elif given is not None and isinstance(given, ast.Name):
        maker = makers.of(user, given)
        causes = (
            ((f"`{given.id}` is made here; a generator that has been used up yields nothing any more", maker.made),)
            if maker is not None
            else ()
        )
    return tell("no-parameters", operation="the optimizer is given no parameters", detail=detail, causes=causes, repairs=repairs)


def _listed(kind: type, name: str, wrapper: str) -> tuple[Place, tuple[Any, ...]]:
    kept = kept_at(kind, name)
    if kept is None or not isinstance(kept[1], ast.Assign):
        return None, ()
    path, node = kept
    assert isinstance(node, ast.Assign)
    prefix = "nn" if vars(sys.modules[kind.__module__]).get("nn") is nn else "torch.nn"
    inner = "" if isinstance(node.value, (ast.List, ast.Dict)) and not ast.unparse(node.value).strip("[]{}") else ast.unparse(node.value)
    return location(path, node, f"{kind.__name__}.__init__"), (replacing(path, node.value, f"{prefix}.{wrapper}({inner})"),)


def device_repairs(steps: list[Step], user: int, failure: Any) -> tuple[Repair, ...]:
    """Returns how operands on different devices come together."""
    step = steps[user]
    layer = failure.layer
    weight = next(layer.parameters(), None) if layer is not None else None
    found: list[Repair] = []
    for operand in failure.operands:
        wanted = (
            weight.device
            if weight is not None
            else next((other.value.device for other in failure.operands if other.value.device != operand.value.device), None)
        )
        if wanted is None or operand.value.device == wanted or operand.node is None:
            continue
        if wanted.type == "meta":
            root = _name_of_root(step, layer)
            found.append(Repair(text=f"`{root}.to_empty(device={str(operand.value.device)!r})`, and give it values: it has none on `meta`"))
            continue
        word = next(
            (name for name, held in {**step.globals, **step.names}.items() if name.isidentifier() and _is_device(held, wanted)),
            repr(str(wanted)),
        )
        text = f"{ast.unparse(operand.node)}.to({word})"
        found.append(Repair(text=text, edits=(replacing(step.path, operand.node, text),)))
    return tuple(found[:2])


def _is_device(held: Any, wanted: Any) -> bool:
    try:
        return isinstance(held, (str, torch.device)) and torch.device(held).type == wanted.type and "device" in str(type(held)) + "device"
    except RuntimeError:
        return False


def _name_of_root(step: Step, layer: Any) -> str:
    for name, held in {**step.globals, **step.names}.items():
        if isinstance(held, nn.Module) and any(part is layer for part in held.modules()):
            return name
    return "model"
