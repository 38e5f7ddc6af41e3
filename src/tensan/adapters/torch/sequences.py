"""Finds the line that put a layer without parameters into an `nn.Sequential`, whose forward calls it from no line of the program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch.nn import Sequential

from tensan.core.sites import Place, Site, function_of, here
from tensan.core.trees import called_name, location, tree_of, walk

if TYPE_CHECKING:
    from typing import Any


def place_of_listing(container: Any, child: Any) -> Site | None:
    """Returns the running line where a child is put into a sequence; None for other containers and for layers with parameters."""
    listed = isinstance(container, Sequential) and not child._parameters and not child._modules
    return here(4) if listed else None


def line_that_made(kind: str, listed: Site) -> Place:
    """Returns the one call of a class that can have made a layer, or else where it was put into its sequence.

    Args:
        kind: name of the layer's class.
        listed: where it was put there.
    """
    tree = tree_of(listed.code.co_filename)
    calls = [node for node in walk(tree) if isinstance(node, ast.Call) and called_name(node) == kind] if tree is not None else []
    if len(calls) > 1:
        place = listed.resolve()
        calls = [node for node in calls if place.line <= node.lineno <= (place.end_line or place.line)]
    if len(calls) != 1:
        return listed
    return location(listed.code.co_filename, calls[0], function_of(listed.code))
