"""Errors while a batch is loaded: items of different shapes that are stacked, and an index that the data set's own list does not have."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tensan.adapters.torch.crashes.definitions import definition_of
from tensan.adapters.torch.crashes.expressions import UNKNOWN, Reader
from tensan.adapters.torch.crashes.frames import Step
from tensan.adapters.torch.crashes.graphs import Told
from tensan.adapters.torch.inventory import dtype_name
from tensan.core.edits import Repair
from tensan.core.events.run import Raised
from tensan.core.events.things import typed
from tensan.core.sites import Place
from tensan.core.trees import location, walk

#: Data sets inside data sets that are looked through.
_MOST_INNER = 4

#: How many channels images have: gray, colour, colour with an opacity.
_CHANNELS = {1, 3, 4}

#: Where in an item a value stands: numbers of tuples and keys of dictionaries.
Path = tuple[Any, ...]


def item_of(steps: Sequence[Step]) -> Any:
    """Returns the index of the item that was being loaded, or None."""
    return next((step.names["idx"] for step in reversed(steps) if _is_fetch(step) and "idx" in step.names), None)


def ragged_told(steps: list[Step], tell: Told) -> Raised | None:
    """Returns which items of a batch have another shape than the others, where that is why they could not be put together."""
    step = next((step for step in steps if _is_fetch(step) and isinstance(step.names.get("data"), list)), None)
    collating = next((step for step in steps if step.function == "collate_tensor_fn" and not step.is_users), None)
    if step is None or collating is None:
        return None
    indices, items = step.names.get("possibly_batched_index"), step.names["data"]
    indices = list(indices) if isinstance(indices, (list, tuple)) and len(indices) == len(items) else list(range(len(items)))
    for path in _paths(items[0]):
        values = [_at(item, path) for item in items]
        shapes = [tuple(value.shape) for value in values if hasattr(value, "shape")]
        if len(shapes) < len(items) or len(set(shapes)) == 1:
            continue
        usual, times = Counter(shapes).most_common(1)[0]
        odd = [number for number, shape in enumerate(shapes) if shape != usual]
        types = [typed(dtype_name(values[shapes.index(shape)]), shape) for shape in (usual, shapes[odd[0]])]
        others = f" and {len(odd) - 1} more differ from it" if len(odd) > 1 else ""
        site = _given_at(step.names.get("self"), path)
        return tell(
            "shape",
            **({"site": site} if site is not None else {}),
            operation=f"stack({types[0]}, {types[1]}{', ...' if len(items) > 2 else ''})",
            detail=f"item {indices[odd[0]]} gives {types[1]}{others}, {'item' if times == 1 else f'{times} others, such as item'} "
            f"{indices[shapes.index(usual)]}, {'gives' if times == 1 else 'give'} {types[0]}",
            repairs=_ways(usual, [shapes[number] for number in odd]),
            tried=False,
        )
    return None


def _ways(usual: tuple[int, ...], others: list[tuple[int, ...]]) -> tuple[Repair, ...]:
    """Returns how items of these shapes are commonly put together."""
    if any(len(shape) != len(usual) for shape in others):
        return (Repair(text="one number of axes for all items where they are made: `__getitem__`"),)
    axes = {axis for shape in others for axis in range(len(usual)) if shape[axis] != usual[axis]}
    if axes == {0} and len(usual) == 3 and {usual[0], *(shape[0] for shape in others)} <= _CHANNELS:
        return (Repair(text="one number of channels for all items where they are made: `__getitem__`"),)
    if axes == {0}:
        return (Repair(text="a `collate_fn` that pads: `torch.nn.utils.rnn.pad_sequence(items, batch_first=True)`"),)
    return (Repair(text="items cut, padded or resized to one shape where they are made: `__getitem__`"),)


def index_told(steps: list[Step], error: BaseException, tell: Told) -> Raised | None:
    """Returns which index a list of the program's own does not have, where that ended the loading of an item."""
    user = steps[-1] if steps and steps[-1].is_users else None
    node = user.node() if user is not None else None
    if user is None or not isinstance(error, IndexError) or not isinstance(node, ast.Subscript) or item_of(steps) is None:
        return None
    reader = Reader(user)
    held, index = reader.value(node.value), reader.value(node.slice)
    if held is UNKNOWN or not isinstance(index, int) or not hasattr(held, "__len__") or -len(held) <= index < len(held):
        return None
    length = _length_at(user.names.get("self"))
    return tell(
        "index",
        operation=f"`{ast.unparse(node)}`, a {type(held).__name__} of {len(held)}",
        detail=f"asks for number {index}",
        causes=((f"`{type(user.names['self']).__name__}` says here how many items it has", length),) if length is not None else (),
        tried=False,
    )


def _is_fetch(step: Step) -> bool:
    return step.path.replace("\\", "/").endswith("torch/utils/data/_utils/fetch.py")


def _paths(item: Any) -> Iterator[Path]:
    if isinstance(item, dict):
        for key, value in item.items():
            yield from ((key, *rest) for rest in _paths(value))
    elif isinstance(item, (tuple, list)):
        for number, value in enumerate(item):
            yield from ((number, *rest) for rest in _paths(value))
    elif hasattr(item, "shape") and hasattr(item, "dtype"):
        yield ()


def _at(item: Any, path: Path) -> Any:
    try:
        for key in path:
            item = item[key]
    except (LookupError, TypeError):
        return None
    return item


def _given_at(fetcher: Any, path: Path) -> Place:
    """Returns where the program's data set gives a part of its items."""
    returned = _returned(getattr(fetcher, "dataset", None), "__getitem__")
    if returned is None:
        return None
    file, node, name = returned
    part: ast.AST = node
    if path and isinstance(node, ast.Tuple) and isinstance(path[0], int) and path[0] < len(node.elts):
        part = node.elts[path[0]]
    elif path and isinstance(node, ast.Dict):
        part = next((value for key, value in zip(node.keys, node.values, strict=True) if getattr(key, "value", None) == path[0]), node)
    return location(file, part, name)


def _length_at(dataset: Any) -> Place:
    returned = _returned(dataset, "__len__")
    return location(*returned) if returned is not None else None


def _returned(dataset: Any, method: str) -> tuple[str, ast.expr, str] | None:
    """Returns the file and the expression that the program's own data set returns from a method that has one return."""
    for _ in range(_MOST_INNER):
        found = definition_of(type(dataset)) if dataset is not None else None
        functions = [node for node in found[1].body if isinstance(node, ast.FunctionDef) and node.name == method] if found else []
        if found is not None and functions:
            given = [node.value for node in walk(functions[0]) if isinstance(node, ast.Return) and node.value is not None]
            return (found[0], given[0], f"{found[1].name}.{method}") if len(given) == 1 else None
        dataset = getattr(dataset, "dataset", None)
    return None
