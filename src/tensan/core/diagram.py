"""The diagram of a recorded step: its modules as a tree, operations as leaves, the tensors between them, and where a finding stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tensan.core.findings import Told

#: Kind of the run file's records that hold one.
DIAGRAM = "diagram"


class Spot(msgspec.Struct, frozen=True, array_like=True):
    """A piece of a line of the program: number of the file, line, and columns as in `Location`; they are 0 where only the line is known."""

    file: int
    line: int
    column: int = 0
    end_column: int = 0


class Node(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A module, an operation, or something that comes from outside the step.

    Attributes:
        name: of a module its path in the module around it, of operations what they do.
        kind: class of a module; empty for operations.
        parent: number of the module around it, -1 for none. A module's number is lower than those of what is in it.
        shape: type of its result as reports print it, such as `f32[64, 16]`.
        gradient: whether the gradient of the loss comes back to its result; it has that very shape then.
        times: how often it is repeated with other weights or on other values.
        operations: how many it stands for, those of one repetition.
        weights: how many weights it holds, in one repetition; learns: whether gradient comes to any of them.
        given: whether it comes from outside the step.
        spots: where in the program its operations ran; of a module also where it was made.
    """

    name: str
    kind: str = ""
    parent: int = -1
    shape: str = ""
    gradient: bool = False
    times: int = 1
    operations: int = 0
    weights: int = 0
    learns: bool = False
    given: bool = False
    spots: list[Spot] = []


class Edge(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A tensor on its way from one leaf of the tree to another.

    Attributes:
        shape: its type as the target meets it.
        through: what has laid it out anew on the way, or cut its gradient.
        gradient: whether gradient flows back along it.
        summed: the larger type in which its gradient arrives, to be summed to its own; empty where it arrives as it is.
        spots: where in the program it was laid out anew.
    """

    source: int
    target: int
    shape: str = ""
    through: list[str] = []
    gradient: bool = False
    summed: str = ""
    spots: list[Spot] = []


class Diagram(msgspec.Struct, kw_only=True):
    """A step as far as one backward of it.

    Attributes:
        title: where that backward stands.
        nodes: in the order in which they ran; edges: between those that have none inside.
        left_out: edges beyond those that are kept.
    """

    title: str = ""
    step: int = 0
    operations: int = 0
    nodes: list[Node] = []
    edges: list[Edge] = []
    files: list[str] = []
    left_out: int = 0

    def children(self) -> dict[int, list[int]]:
        """Returns what lies in each module; under -1 what lies in none."""
        found: dict[int, list[int]] = {-1: []}
        for number, node in enumerate(self.nodes):
            found.setdefault(node.parent, []).append(number)
        return found

    def around(self, number: int) -> Iterator[int]:
        """Yields a node and the modules around it, from within."""
        while number >= 0:
            yield number
            number = self.nodes[number].parent


class Guilt(msgspec.Struct, frozen=True):
    """Which nodes and edges findings stand at, each with the number that the report gives the first of them."""

    nodes: dict[int, int]
    edges: dict[int, int]


def guilt(diagram: Diagram, shown: Sequence[Told]) -> Guilt:
    """Returns what the findings of a report point at: the operations that ran where one stands, and the tensors that they were given.

    Args:
        diagram: of the run that they were found in.
        shown: the findings in the order in which the report numbers them, from 1.
    """
    nodes: dict[int, int] = {}
    edges: dict[int, int] = {}
    for number, told in enumerate(shown, 1):
        found = _at(diagram, told)
        for each in found.nodes:
            nodes.setdefault(each, number)
        for each in found.edges:
            edges.setdefault(each, number)
    return Guilt(nodes, edges)


def _at(diagram: Diagram, told: Told) -> Guilt:
    """Returns what one finding stands at: whatever ran at its very columns, else at its line, else at the lines it refers to."""
    if told.path not in diagram.files or not told.line:
        return Guilt({}, {})
    here = Spot(diagram.files.index(told.path), told.line, told.column or 0, told.end_column or 0)
    exact = _standing(diagram, [here], columns=True)
    found = exact if exact.nodes or exact.edges else _standing(diagram, [here])
    references = [
        Spot(diagram.files.index(path), line)
        for related in told.related
        if (path := related.get("path")) in diagram.files and isinstance(path, str) and isinstance(line := related.get("line"), int)
    ]
    beside = _standing(diagram, references).nodes
    if not found.nodes and not found.edges:
        return Guilt(beside, {})
    into = [number for number, edge in enumerate(diagram.edges) if edge.target in found.nodes and not diagram.nodes[edge.source].given]
    between = [number for number in into if diagram.edges[number].source in beside]
    return Guilt(found.nodes, found.edges | dict.fromkeys(between or into, 0))


def _standing(diagram: Diagram, wanted: Iterable[Spot], *, columns: bool = False) -> Guilt:
    keys = {spot if columns else (spot.file, spot.line) for spot in wanted}

    def stands(spots: Iterable[Spot]) -> bool:
        return any((spot if columns else (spot.file, spot.line)) in keys for spot in spots)

    parents = {node.parent for node in diagram.nodes}
    return Guilt(
        {number: 0 for number, node in enumerate(diagram.nodes) if stands(node.spots) and (number not in parents or node.kind)},
        {number: 0 for number, edge in enumerate(diagram.edges) if stands(edge.spots)},
    )
