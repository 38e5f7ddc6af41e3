"""Tells whether fetching an item changed what the dataset keeps, by comparing the kept rows before and after."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

import torch

from tensan.adapters.torch.fetching import fetching, reached
from tensan.adapters.torch.source import in_definition
from tensan.core.sites import Location

#: Rows of a batch that are compared.
COMPARED = 8
#: Rows larger than this are compared by their beginning.
MOST_BYTES = 1 << 20
#: Values by which an item is recognised as a kept row.
BEGIN = 16

_NUMPY_FLOATS = frozenset({torch.float16, torch.float32, torch.float64})
_IN_PLACE_CALLS = frozenset({"shuffle", "sort", "fill", "put", "partition", "itemset", "copyto", "clip"})


def underlying(dataset: Any, indices: list[Any]) -> tuple[Any, list[Any]]:
    """Follows subsets down to the dataset that holds the data."""
    from torch.utils.data import Subset

    while type(dataset) is Subset:
        indices = [dataset.indices[index] for index in indices]
        dataset = dataset.dataset
    return dataset, indices


def containers(dataset: Any) -> Iterator[Any]:
    """Yields what a dataset keeps its items in: attributes and globals of its `__getitem__` that are as long as itself."""
    try:
        size = len(dataset)
    except TypeError:
        return
    function = fetching(dataset)
    found = list(getattr(dataset, "__dict__", {}).values())
    if function is not None:
        found += [value for _, value in reached(function)]
    for value in found:
        if _holds(value, size):
            yield value
        elif type(value) in (tuple, list) and len(value) < 16:
            yield from (item for item in value if _holds(item, size))


def is_array(value: Any) -> bool:
    """Tells whether a value is a tensor or an array of NumPy."""
    numpy = sys.modules.get("numpy")
    return isinstance(value, torch.Tensor) or (numpy is not None and type(value) is numpy.ndarray)


def _holds(value: Any, size: int) -> bool:
    if is_array(value):
        return len(value.shape) > 0 and value.shape[0] == size
    return (
        type(value) in (list, tuple)
        and len(value) == size
        and size > 0
        and (is_array(value[0]) or (type(value[0]) is tuple and any(map(is_array, value[0]))))
    )


class Rows:
    """Some kept rows as they are now: `whole` tells whether one has changed, `begin` whether an item was made of it."""

    def __init__(self, kept: list[Any], indices: list[Any]) -> None:
        rows = (container[index] for container in kept for index in indices[:COMPARED] if isinstance(index, int))
        parts = [part for row in rows for part in (row if type(row) is tuple else (row,)) if is_array(part)]
        self.whole = [_digest(part) for part in parts]
        self.begin = [_begin(part) for part in parts]


def begins_of(items: Any) -> frozenset[bytes]:
    """Returns how the arrays in the items that a dataset gave begin."""
    found: set[bytes] = set()
    waiting = list(items[: 4 * COMPARED]) if isinstance(items, (list, tuple)) else [items]
    while waiting and len(found) < 1_000:
        item = waiting.pop()
        if is_array(item):
            found.add(_begin(item))
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple)):
            waiting += item
    return frozenset(found)


def _array(row: Any) -> Any:
    if not isinstance(row, torch.Tensor):
        return row
    values = torch.view_as_real(row.detach()) if row.is_complex() else row.detach()
    known = not values.is_floating_point() or values.dtype in _NUMPY_FLOATS
    return (values if known else values.float()).cpu().numpy()


def _digest(row: Any) -> int:
    return hash(_array(row).tobytes()[:MOST_BYTES])


def _begin(row: Any) -> bytes:
    """The first values in single precision, so that a cast or a cut afterwards does not hide where an item came from."""
    values = _array(row).reshape(-1)[:BEGIN]
    # A single number is most often a tally or a label, and equals another by chance.
    return b"" if values.size < 2 or values.dtype.kind not in "fiub" else values.astype("float32").tobytes()


def writing_line(dataset: Any) -> Location | None:
    """Finds, in the source of `__getitem__`, the first statement that writes in place; its first line where none is found."""
    function = getattr(type(dataset), "__getitem__", None)
    if function is None:
        return None
    return in_definition(function, _writes) or in_definition(function, lambda node: isinstance(node, ast.FunctionDef))


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Subscript) for target in node.targets)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ((node.func.attr.endswith("_") and not node.func.attr.startswith("_")) or node.func.attr in _IN_PLACE_CALLS)
    )
