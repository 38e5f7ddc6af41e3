"""Walks the autograd graph from a loss to the leaves that it depends on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: Graphs beyond this are cut off: nothing is then concluded from a leaf that was not found.
MOST_NODES = 50_000


def leaves(roots: Iterable[Any]) -> tuple[list[Any], bool]:
    """Returns the leaf tensors behind some tensors, and whether the graph was walked to its end.

    Args:
        roots: tensors; those that are leaves themselves are among the result.
    """
    found: dict[int, Any] = {}
    waiting = []
    for tensor in roots:
        node = tensor.grad_fn
        if node is not None:
            waiting.append(node)
        elif tensor.requires_grad:
            found[id(tensor)] = tensor
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            found[id(variable)] = variable
            continue
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
        if len(seen) > MOST_NODES:
            return list(found.values()), False
    return list(found.values()), True
