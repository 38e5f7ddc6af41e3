"""Tells whether fetching an item changed what the dataset keeps, by comparing the kept rows before and after.

Kept is what lies in arrays and lists as long as the dataset, in dictionaries that it fills, and whatever it has handed out before and
somebody still holds, as a cached function does.
"""

from __future__ import annotations

import ast
import sys
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from types import FunctionType
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.fetching import fetching, reached
from tensan.adapters.torch.source import in_definition
from tensan.adapters.torch.trace import storage_of
from tensan.core.sites import Location, is_users

#: Rows of a batch that are compared.
COMPARED = 8
#: Rows larger than this are compared by their beginning.
MOST_BYTES = 1 << 20
#: Values by which an item is recognised as a kept row.
BEGIN = 16
#: Arrays of one item, attributes of an object, places of a list that may be empty, and items that are remembered as handed out.
MOST_PARTS = 8
MOST_ATTRIBUTES = 32
MOST_EMPTY = 4096
MOST_HANDED = 2048
#: How many times as large an array may be that an item is a view of.
MOST_AROUND = 4
#: Methods through which an item is followed to the statement that writes into it.
MOST_CALLS = 4

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


class Part(NamedTuple):
    """An array of a kept item: what its values are, how it begins, and the memory that it lies in."""

    digest: int
    begin: bytes
    storage: int


class Rows:
    """Some kept items as they are now.

    Args:
        kept: arrays and lists with an item for each index.
        indices: the items of which some are looked at.
        caches: dictionaries with some items, under their index or what the dataset keeps for it, such as a path.
        listed: what the dataset keeps for each index.
        handed: arrays that were given for an index before and are alive, by index.
    """

    def __init__(
        self,
        kept: Sequence[Any],
        indices: Sequence[Any],
        *,
        caches: Sequence[dict[Any, Any]] = (),
        listed: Sequence[Sequence[Any]] = (),
        handed: Sequence[tuple[int, Any]] = (),
    ) -> None:
        #: By what tells the same array of the same item again.
        self.parts: dict[tuple[Any, ...], Part] = {}
        some = [index for index in indices[:COMPARED] if isinstance(index, int)]
        for number, container in enumerate(kept):
            for index in some:
                for place, part in enumerate(parts_of(container[index])):
                    self.parts["kept", number, index, place] = _part(part)
        for number, cache in enumerate(caches):
            for index in some:
                for key in _keys(index, listed):
                    # What was put in the place of another since is no edit: only of one and the same array can that be told.
                    for part in parts_of(dict.get(cache, key)):
                        self.parts["cached", number, index, id(part)] = _part(part)
        for index, array in handed:
            self.parts["handed", 0, index, id(array)] = _part(array)

    def edited(self, before: Rows, given: frozenset[bytes]) -> list[tuple[str, int, Part]]:
        """Returns the arrays that are no longer what they were and that items were made of: a dataset may well keep a tally of its own.

        Returns:
            How each is kept, for which index, and the array.
        """
        return [
            (key[0], key[2], part)
            for key, part in self.parts.items()
            if key in before.parts and part.digest != before.parts[key].digest and part.begin in given
        ]


class HandedOut:
    """Remembers, weakly, the arrays that were given for an index: where one is alive at the next time, somebody keeps it."""

    def __init__(self) -> None:
        self._given: OrderedDict[tuple[int, int], list[weakref.ref[Any]]] = OrderedDict()
        #: The index that an array was given for, None for a buffer that is filled anew for each.
        self._index: dict[int, tuple[weakref.ref[Any], int | None]] = {}

    def remember(self, dataset: Any, indices: Sequence[Any], items: Any) -> None:
        """Items were given for indices."""
        if not isinstance(items, (list, tuple)) or len(items) != len(indices):
            return
        for index, item in list(zip(indices, items, strict=True))[:COMPARED]:
            if isinstance(index, int):
                arrays = [array for part in parts_of(item) for array in (part, _base_of(part)) if array is not None]
                self._given[id(dataset), index] = [self._of_one(array, index) for array in arrays]
        while len(self._given) > MOST_HANDED:
            self._given.popitem(last=False)
        if len(self._index) > MOST_HANDED * MOST_PARTS:
            self._index.clear()

    def _of_one(self, array: Any, index: int) -> weakref.ref[Any]:
        known = self._index.get(id(array))
        if known is None or known[0]() is not array:
            known = self._index[id(array)] = weakref.ref(array), index
        elif known[1] != index:
            known = self._index[id(array)] = known[0], None
        return known[0]

    def alive(self, dataset: Any, indices: Sequence[Any]) -> list[tuple[int, Any]]:
        """Returns the arrays of some indices that still exist and were given for no other one."""
        some = [index for index in indices[:COMPARED] if isinstance(index, int)]
        living = ((index, reference()) for index in some for reference in self._given.get((id(dataset), index), ()))
        return [(index, array) for index, array in living if array is not None and self._index[id(array)][1] == index]


def parts_of(item: Any) -> list[Any]:
    """Returns the arrays of an item: itself, or those in a tuple, a list, a dictionary or the attributes of an object of the program."""
    if is_array(item):
        return [item] if _is_readable(item) else []
    if type(item) in (tuple, list):
        inner: Any = item[:MOST_PARTS]
    elif isinstance(item, dict):
        inner = list(islice(dict.values(item), MOST_PARTS))
    elif _is_users(item):
        inner = list(vars(item).values())[:MOST_PARTS]
    else:
        return []
    return [part for part in inner if _is_readable(part)]


def caches(dataset: Any) -> list[dict[Any, Any]]:
    """Returns the dictionaries of arrays that a dataset's methods reach: its attributes, those of objects it holds, and globals."""
    own = list(getattr(dataset, "__dict__", {}).values())
    found = own + [inner for value in own if _is_users(value) for inner in list(vars(value).values())[:MOST_ATTRIBUTES]]
    found += [value for function in _methods(dataset) for _, value in reached(function)]
    different = {id(value): value for value in found if isinstance(value, dict) and value}
    return [value for value in different.values() if parts_of(next(iter(dict.values(value)), None))]


def lists_of_items(dataset: Any) -> list[Any]:
    """Returns the lists that a dataset keeps an item in for each index, some of which may not be there yet."""
    try:
        size = len(dataset)
    except TypeError:
        return []
    own = list(getattr(dataset, "__dict__", {}).values())
    lists = (value for value in own if type(value) in (list, tuple) and len(value) == size)
    return [value for value in lists if parts_of(next((item for item in islice(value, MOST_EMPTY) if item is not None), None))]


def listed(dataset: Any) -> list[Any]:
    """Returns the lists of what a dataset keeps for each index that could be keys of its items, such as paths."""
    try:
        size = len(dataset)
    except TypeError:
        return []
    own = list(getattr(dataset, "__dict__", {}).values())
    return [value for value in own if type(value) in (list, tuple) and len(value) == size and size > 0 and _names(value[0])]


def _names(kept: Any) -> list[Any]:
    return [name for name in (kept if type(kept) in (tuple, list) else (kept,)) if isinstance(name, (str, int, PurePath))]


def _keys(index: int, listed: Sequence[Sequence[Any]]) -> list[Any]:
    return [index, *(name for names in listed if index < len(names) for name in _names(names[index]))]


def _is_users(thing: Any) -> bool:
    """Tells whether a thing is an object of a class that the program has written."""
    if isinstance(thing, (type, torch.nn.Module)) or not hasattr(thing, "__dict__"):
        return False
    module = sys.modules.get(type(thing).__module__)
    path = getattr(module, "__file__", None)
    return path is not None and is_users(path)


def _methods(dataset: Any) -> list[FunctionType]:
    """Returns the methods of a dataset that the program has written."""
    found = {name: value for kind in reversed(type(dataset).__mro__) for name, value in vars(kind).items()}
    return [value for value in found.values() if isinstance(value, FunctionType) and is_users(value.__code__.co_filename)]


def _base_of(array: Any) -> Any:
    """Returns the array that another is a view of, where that is not one of many rows."""
    if isinstance(array, torch.Tensor):
        base, size = (None if array.is_inference() else array._base), array.numel()
        return base if base is not None and _is_readable(base) and base.numel() <= MOST_AROUND * size else None
    base = array.base
    return base if is_array(base) and base.size <= MOST_AROUND * array.size else None


def _is_readable(value: Any) -> bool:
    """Tells whether a value is an array whose numbers can be read as they lie."""
    if not is_array(value):
        return False
    return not isinstance(value, torch.Tensor) or (value.layout is torch.strided and not (value.is_meta or value.is_quantized))


def _part(array: Any) -> Part:
    return Part(_digest(array), _begin(array), storage_of(array) if isinstance(array, torch.Tensor) else 0)


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
    """Finds the first statement that writes in place in `__getitem__` and the methods it calls; where there is none, its first line."""
    function = getattr(type(dataset), "__getitem__", None)
    if function is None:
        return None
    filled = {name for name, value in getattr(dataset, "__dict__", {}).items() if isinstance(value, dict) or type(value) is list}
    for each in _called(dataset, function):
        found = in_definition(each, lambda node: _writes(node) and _root(node) not in filled)
        if found is not None:
            return found
    return in_definition(function, lambda node: isinstance(node, ast.FunctionDef))


def _called(dataset: Any, function: Any) -> list[Any]:
    """Returns a method and those of the same object that it calls, nearest first; then the program's functions that they call."""
    methods = {method.__name__: method for method in _methods(dataset)}
    found, functions = [function], []
    for each in found:
        code = getattr(each, "__code__", None)
        for name in code.co_names if code is not None else ():
            method, other = methods.get(name), getattr(each, "__globals__", {}).get(name)
            if method is not None and method not in found and len(found) <= MOST_CALLS:
                found.append(method)
            if isinstance(other, FunctionType) and is_users(other.__code__.co_filename) and other not in functions:
                functions.append(other)
    return found + functions[:MOST_CALLS]


def _root(node: ast.AST) -> str:
    """Returns the attribute of the dataset itself whose item a statement assigns: to fill a cache is no edit."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    holder = target.value if isinstance(target, ast.Subscript) else None
    return holder.attr if isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Name) else ""


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
