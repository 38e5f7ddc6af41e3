"""Tells whether fetching an item changed what the dataset keeps, by comparing the kept rows before and after."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import torch

from tensan.core.sites import Location, is_users

#: Rows of a batch that are compared.
COMPARED = 8
#: Rows larger than this are compared by their beginning.
MOST_BYTES = 1 << 20

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
    function = getattr(type(dataset), "__getitem__", None)
    code = getattr(function, "__code__", None)
    found = list(getattr(dataset, "__dict__", {}).values())
    if code is not None and is_users(code.co_filename):
        found += [function.__globals__[name] for name in code.co_names if name in function.__globals__]
        found += [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    for value in found:
        if _holds(value, size):
            yield value
        elif type(value) in (tuple, list) and len(value) < 16:
            yield from (item for item in value if _holds(item, size))


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return isinstance(value, torch.Tensor) or (numpy is not None and type(value) is numpy.ndarray)


def _holds(value: Any, size: int) -> bool:
    if _is_array(value):
        return len(value.shape) > 0 and value.shape[0] == size
    return type(value) in (list, tuple) and len(value) == size and size > 0 and (_is_array(value[0]) or (type(value[0]) is tuple and any(map(_is_array, value[0]))))


def digests(kept: list[Any], indices: list[Any]) -> list[bytes]:
    """Returns the digest of each kept row that some indices name."""
    return [_digest(container[index]) for container in kept for index in indices[:COMPARED] if isinstance(index, int)]


def _digest(row: Any) -> bytes:
    if type(row) is tuple:
        return b"".join(_digest(item) for item in row if _is_array(item))
    if isinstance(row, torch.Tensor):
        row = row.detach().cpu()
        row = row.view(torch.int16).numpy() if row.dtype is torch.bfloat16 else row.numpy()
    return hashlib.blake2b(row.tobytes()[:MOST_BYTES], digest_size=8).digest()


def writing_line(dataset: Any) -> Location | None:
    """Finds, in the source of `__getitem__`, the first statement that writes in place; its first line where none is found."""
    function = getattr(type(dataset), "__getitem__", None)
    if function is None:
        return None
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    indent = len(lines[0]) - len(lines[0].lstrip())
    node = next((node for node in ast.walk(tree) if _writes(node)), tree.body[0])
    return Location(
        path=inspect.getsourcefile(function) or "",
        line=first + node.lineno - 1,
        column=node.col_offset + indent + 1,
        end_line=first + (node.end_lineno or node.lineno) - 1,
        end_column=(node.end_col_offset or 0) + indent + 1,
        function=function.__qualname__,
    )


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
