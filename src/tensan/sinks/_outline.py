"""The diagram of a step as text: modules as an outline, what each node gives, what of it gradient comes back to, where it ran."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tensan.core.diagram import Diagram, Edge, Guilt, guilt
from tensan.core.findings import Told
from tensan.sinks._shown import clean

#: Columns that names and shapes may take before they push the others aside.
WIDEST_NAME, WIDEST_SHAPE = 44, 28
#: Origins of a node that are named.
MOST_ORIGINS = 6


def outline(diagram: Diagram, shown: Sequence[Told]) -> Iterator[str]:
    """Yields the lines of a diagram; an arrow stands where a finding does.

    Args:
        diagram: of a step.
        shown: the findings, in the order in which the report numbers them.
    """
    where = guilt(diagram, shown)
    depths = [sum(1 for _ in diagram.around(number)) - 1 for number in range(len(diagram.nodes))]
    heads = ["  " * depth + title(diagram, number) for number, depth in enumerate(depths)]
    shapes = [node.shape if node.operations or node.given else "" for node in diagram.nodes]
    width = min(max(map(len, heads), default=0), WIDEST_NAME)
    shape_width = min(max(map(len, shapes), default=0), WIDEST_SHAPE)
    grad_width = shape_width + len("grad ")
    into: dict[int, list[Edge]] = {}
    for edge in diagram.edges:
        into.setdefault(edge.target, []).append(edge)
    parents = {node.parent for node in diagram.nodes}
    back = ", and what gradient comes back" if any(node.gradient for node in diagram.nodes) else ", before any gradient"
    goal = clean(diagram.title).removeprefix("up to ")
    yield f"step {diagram.step} up to {goal}: {diagram.operations:,} operations{back}"
    before = -1
    for number, node in enumerate(diagram.nodes):
        mark = marked(diagram, where, number)
        grad = "" if node.given and not node.gradient else f"grad {node.shape}" if node.gradient else "no grad"
        cells = [f"{'-->' if mark else '   '} {heads[number]:{width}}", f"{shapes[number]:{shape_width}}", f"{grad:{grad_width}}"]
        if number in parents:
            cells = [cells[0], f"{node.weights:,} weights" if node.weights else ""]
        else:
            edges = into.get(number, [])
            origins = [origin(diagram, edge) for edge in edges]
            if [edge.source for edge in edges] != [before] or edges[0].through:
                more = f", {len(origins) - MOST_ORIGINS} more" if len(origins) > MOST_ORIGINS else ""
                cells += ["<- " + ", ".join(origins[:MOST_ORIGINS]) + more] if origins else []
            cells.append(place(diagram, number))
            before = number
        yield clean("  ".join(cells).rstrip())
        if mark:
            told = shown[mark - 1]
            yield " " * (4 + 2 * depths[number]) + f"^ {told.level}[{told.code}]: {clean(told.message)}"
    if diagram.left_out:
        yield f"    {diagram.left_out:,} more tensors between them are not kept"


def marked(diagram: Diagram, where: Guilt, number: int) -> int:
    """Returns the number of the finding that stands at a leaf or at a tensor that it is given, 0 where none does."""
    if number in where.nodes:
        return where.nodes[number]
    return next((finding for index, finding in where.edges.items() if diagram.edges[index].target == number), 0)


def title(diagram: Diagram, number: int) -> str:
    """Returns what a node is called, with its class where that says more."""
    node = diagram.nodes[number]
    kind = f"  {node.kind}" if node.kind and not node.name.startswith(node.kind) else ""
    return node.name + kind + (f"  \N{MULTIPLICATION SIGN} {node.times}" if node.times > 1 else "")


def path_of(diagram: Diagram, number: int) -> str:
    """Returns what to call a node apart from all others: its path."""
    return ".".join(reversed([diagram.nodes[each].name for each in diagram.around(number)]))


def origin(diagram: Diagram, edge: Edge) -> str:
    """Returns where a tensor comes from, as the node that it goes to would call it, and what happens to it on the way."""
    source = diagram.nodes[edge.source]
    text = source.name if source.parent == diagram.nodes[edge.target].parent else path_of(diagram, edge.source)
    for word in edge.through:
        text = f"{word}({text})"
    return text + (f" (grad {edge.summed}, summed)" if edge.summed else "")


def place(diagram: Diagram, number: int) -> str:
    """Returns where a node's first operation ran, as file and line."""
    spots = diagram.nodes[number].spots
    return f"{os.path.basename(diagram.files[spots[0].file])}:{spots[0].line}" if spots else ""
