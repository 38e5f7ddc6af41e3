"""Makes the diagram of a step from its recorded operations: folded by module, layout dissolved into edges, what repeats shown once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod

import msgspec

from tensan.core.diagram import Diagram, Edge, Node, Spot
from tensan.core.events.recorded import Layer
from tensan.core.events.things import Operation, Value, typed
from tensan.core.findings import text
from tensan.core.operations import CUTTING, ELEMENTWISE, EXPAND, LAYOUT, PAIRED_LOSS, broadcast
from tensan.core.sites import Place, Site, resolved

#: Nodes and edges of a diagram: modules that hold more are closed, the innermost first.
MOST_NODES, MOST_EDGES = 250, 1_000
#: Nodes side by side in one module; more of them are put together by forties.
MOST_CHILDREN = 40
#: How long a sequence is looked for that repeats; operations alone must come this often, modules twice.
MOST_PERIOD, LEAST_REPEATS = 8, 3
#: Words for what several operations of one call do, and spots of a node, that are kept.
MOST_WORDS, MOST_SPOTS = 3, 24

_CALL = re.compile(r"[\w.]*?(\w+)\(")
_PASSES = LAYOUT | EXPAND | {"detach"}


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a module: its class, the weights that it holds itself, and whether it is the framework's own."""

    kind: str
    weights: int = 0
    own: bool = False


#: A module of a step: the id of its outermost module, and its path in it.
Key = tuple[str, str]


class _Item:
    """A node while the diagram is made.

    Attributes:
        output: what it computed last of all that is used outside of it; leaves: whether that is outside of its module too.
        given: type of what comes from outside the step; empty for all else.
    """

    def __init__(self, name: str, *, key: Key | None = None, kind: str = "", own: bool = False, weights: int = 0) -> None:
        self.name, self.key, self.kind, self.own, self.weights = name, key, kind, own, weights
        self.children: list[_Item] = []
        self.parent: _Item | None = None
        self.operations: list[Operation] = []
        self.output: Operation | None = None
        self.leaves = False
        self.given = ""
        self.requires_grad = False
        self.made: Place = None
        self.times = 1

    def add(self, child: _Item) -> _Item:
        child.parent = self
        self.children.append(child)
        return child

    def append(self, operation: Operation) -> None:
        self.operations.append(operation)
        self.output = operation

    def inside(self) -> Iterator[_Item]:
        """Yields itself and all that is in it, in the order in which it ran."""
        yield self
        for child in self.children:
            yield from child.inside()


class _Origin(msgspec.Struct, frozen=True, gc=False):
    """Where a value comes from when layout is looked through: what made it, and what lies between."""

    item: _Item
    through: tuple[Operation, ...] = ()
    made: Operation | None = None


class _Tie(msgspec.Struct, frozen=True, gc=False):
    """A tensor from one item to another."""

    source: _Item
    target: _Item
    value: Value
    through: tuple[Operation, ...]
    gradient: bool
    summed: str


def condense(
    operations: Sequence[Operation], *, loss: int, parts: Mapping[Key, Part], title: str = "", step: int = 0, most: int = MOST_NODES
) -> Diagram:
    """Returns the diagram of a step.

    Args:
        operations: in the order in which they ran; their setting `layer` is the module whose forward made them.
        loss: index of the operation that made what is differentiated, -1 where none did.
        parts: the modules of the step.
        title: where the backward stands.
        step: its number.
        most: how many nodes the diagram may have.
    """
    carries, needed = _carries(operations, loss), _needed(operations, loss)
    root, ties = _items([each for each in operations if each.index in needed], loss, parts, carries)
    _close_layers(root)
    stands_for: dict[_Item, _Item] = {}
    _fold(root, carries, stands_for, {})
    _merge(root)
    _chunk(root)
    shown = _bounded(root, most, stands_for)
    files = _Files()
    numbers = {item: number for number, item in enumerate(shown)}
    edges, left_out = _edges(ties, _numbered(numbers, stands_for), files)
    nodes = [_node(item, numbers, carries, files) for item in shown]
    _tell_apart(nodes)
    _sum_up(nodes, edges)
    return Diagram(title=title, step=step, operations=len(operations), nodes=nodes, edges=edges, files=list(files.names), left_out=left_out)


def _carries(operations: Sequence[Operation], loss: int) -> set[int]:
    """Returns the operations to whose result the gradient of the loss comes back."""
    found = {loss}
    for operation in reversed(operations[: loss + 1]):
        if operation.index in found and operation.name not in CUTTING and any(value.requires_grad for value in operation.outputs):
            found.update(value.producer for value in operation.inputs if value.requires_grad)
    return found


def _needed(operations: Sequence[Operation], loss: int) -> set[int]:
    """Returns the operations that the loss was computed from, and those beside them that gradient could flow through."""
    found = {loss, *(each.index for each in operations if any(value.requires_grad for value in each.outputs))}
    for operation in reversed(operations):
        if operation.index in found:
            found.update(value.producer for value in operation.inputs)
    return found


# ---- the tree ------------------------------------------------------------------------------------------------------


def _items(operations: Sequence[Operation], loss: int, parts: Mapping[Key, Part], carries: set[int]) -> tuple[_Item, list[_Tie]]:
    """Returns the tree of a step's modules and operations, and what lies between its leaves."""
    root, ties = _Item(""), []
    opened: list[_Item] = [root]
    origins: dict[int, _Origin | None] = {}
    given: dict[tuple[str, str], _Item] = {}

    def origin(value: Value) -> _Origin | None:
        if value.producer in origins:
            return origins[value.producer]
        key = "batch" if value.subject == "batch" else "earlier result" if value.requires_grad else "input", str(value)
        if key not in given:
            given[key] = item = _Item(key[0])
            item.given, item.requires_grad = key[1], value.requires_grad
        return _Origin(given[key])

    inner: object = root
    for operation in operations:
        if (layer := operation.settings.get("layer")) is not inner:
            inner = layer
            _enter(opened, layer, parts)
        module = opened[-1]
        found = [(value, origin(value)) for value in operation.inputs if _is_shown(operation, value)]
        if operation.name in _PASSES and len(operation.inputs) == 1 and operation.index != loss and not module.own:
            known = found[0][1] if found else None  # weights, and what is computed of them alone, are not drawn
            if known is not None and not known.through and module.children[-1:] == [known.item] and _continues(known.item, operation):
                known.item.append(operation)
                origins[operation.index] = _Origin(known.item, (), operation)
            else:
                origins[operation.index] = known and _Origin(known.item, (*known.through, operation), known.made)
            continue
        leaf = _leaf(module, operation)
        for value, known in found:
            if known is None or known.item is leaf:
                continue
            known.item.output = known.made
            known.item.leaves = known.item.leaves or known.item.parent is not module
            flows = operation.index in carries and value.requires_grad
            summed = _summed(operation, value, known.through) if flows else ""
            through = tuple(each for each in known.through if not _is_same(each.site, operation.site))  # not what the call does itself
            ties.append(_Tie(known.item, leaf, through[-1].outputs[0] if through else value, through, flows, summed))
        origins[operation.index] = _Origin(leaf, (), operation)
    root.children = [*given.values(), *(child for child in root.children if child.children or child.operations)]
    return root, ties


def _is_shown(operation: Operation, value: Value) -> bool:
    """Tells whether a value is one that flows: weights, running statistics and single numbers are not drawn."""
    if value.producer >= 0 or value.subject == "batch":
        return True
    return value.subject is None and bool(value.shape) and not (operation.name == "batch_norm" and value is not operation.inputs[0])


def _enter(opened: list[_Item], layer: object, parts: Mapping[Key, Part]) -> None:
    """Closes the modules that an operation is not in, and opens those that it is in: each run through a module is an item of its own."""
    path = list(_path(layer)) if isinstance(layer, Layer) else []
    same = 0
    while same < min(len(path), len(opened) - 1) and opened[same + 1].key == path[same]:
        same += 1
    del opened[same + 1 :]
    for key in path[same:]:
        part = parts.get(key, Part(kind=""))
        name = key[1].rpartition(".")[2] or part.kind or "module"  # nothing is known of one that is gone
        opened.append(opened[-1].add(_Item(name, key=key, kind=part.kind or "module", own=part.own, weights=part.weights)))
    if isinstance(layer, Layer) and path:
        opened[-1].made = layer.made


def _path(layer: Layer) -> Iterator[Key]:
    yield layer.root, ""
    names = layer.name.split(".") if layer.name else []
    yield from ((layer.root, ".".join(names[: count + 1])) for count in range(len(names)))


def _leaf(module: _Item, operation: Operation) -> _Item:
    """Adds an operation to its module: those that one call of the program makes, right after one another, are one leaf."""
    leaf = module.children[-1] if module.children else None
    if leaf is None or not _continues(leaf, operation):
        leaf = module.add(_Item(""))
    leaf.append(operation)
    return leaf


def _continues(leaf: _Item, operation: Operation) -> bool:
    return bool(leaf.operations) and _is_same(leaf.operations[-1].site, operation.site)


def _is_same(one: Place, other: Place) -> bool:
    if isinstance(one, Site) and isinstance(other, Site):  # to compare code objects compares all that they hold
        return one.code is other.code and one.instruction == other.instruction
    return one == other


def _summed(operation: Operation, value: Value, through: Sequence[Operation]) -> str:
    """Returns the larger type in which the gradient of a broadcast value arrives."""
    own = next((each.inputs[0].shape for each in through if each.name in EXPAND), value.shape)
    broadcasts = operation.name in ELEMENTWISE | PAIRED_LOSS
    grown = broadcast(*(each.shape for each in operation.inputs)) if broadcasts else value.shape
    return typed(value.dtype, grown) if prod(grown) > prod(own) else ""


# ---- folding -------------------------------------------------------------------------------------------------------


def _close_layers(item: _Item) -> None:
    """Makes leaves of the framework's own layers: what goes on in them is not the program's."""
    for child in item.children:
        _close_layers(child)
        if child.own and child.children and not any(inner.key for inner in child.children):
            child.operations = [operation for inner in child.children for operation in inner.operations]
            child.output = next((inner for inner in reversed(child.children) if inner.leaves), child.children[-1]).output
            child.children = []


def _merge(item: _Item) -> None:
    """Makes one node of a module with nothing but another one in it."""
    for place, child in enumerate(item.children):
        _merge(child)
        inner = child.children[0] if len(child.children) == 1 else None
        if inner is not None and inner.key is not None and child.key is not None and child.key[1]:
            inner.name, inner.parent = f"{child.name}.{inner.name}", item
            inner.weights, inner.times = inner.weights + child.weights, inner.times * child.times
            item.children[place] = inner


def _types(values: Iterable[Value]) -> tuple[object, ...]:
    return tuple((value.shape, value.requires_grad) for value in values)


def _fold(item: _Item, carries: set[int], stands_for: dict[_Item, _Item], known: dict[tuple[object, ...], int]) -> int:
    """Shows once what is repeated: neighbours that do the same, alone or several in turn.

    Returns:
        What the item does, as a number that it has in common with those that do the same with other weights.
    """
    marks = [_fold(child, carries, stands_for, known) for child in item.children]
    does = tuple((each.name, _types(each.inputs), _types(each.outputs), each.index in carries) for each in item.operations)
    mark = known.setdefault((item.kind, does, *marks), len(known))
    kept: list[_Item] = []
    at = 0
    while at < len(marks):
        period, times = _repeats(marks, at, item.children)
        unit = item.children[at : at + period]
        if times > 1:
            for begin in range(at + period, at + times * period, period):
                for first, other in zip(unit, item.children[begin : begin + period], strict=True):
                    stands_for.update(zip(other.inside(), first.inside(), strict=True))
            last = item.children[at + times * period - 1]
            named = unit[0].key is not None and last.key is not None and last.name != unit[0].name
            name = f"{unit[0].name} … {last.name}" if named else ""
            if period == 1:
                unit[0].times *= times
                unit[0].name = name or unit[0].name
            else:
                several = _Item(name or "repeated")
                several.times, several.parent = times, item
                for each in unit:
                    several.add(each)
                unit = [several]
        kept += unit
        at += period * times
    item.children = kept
    return mark


def _repeats(marks: Sequence[int], at: int, items: Sequence[_Item]) -> tuple[int, int]:
    """Returns how long the sequence is that repeats most from a place on, and how often it does; 1 and 1 where none does."""
    best = 1, 1
    for period in range(1, min(MOST_PERIOD, (len(marks) - at) // 2) + 1):
        times = 1
        while marks[at : at + period] == marks[at + times * period : at + (times + 1) * period]:
            times += 1
        least = 2 if period == 1 and items[at].key is not None else LEAST_REPEATS
        if times >= least and period * times > best[0] * best[1] and not items[at].given:
            best = period, times
    return best


def _chunk(item: _Item) -> None:
    """Puts operations that follow one another together where a module holds too many."""
    for child in item.children:
        _chunk(child)
    while len(item.children) > MOST_CHILDREN:
        chunks: list[_Item] = []
        for begin in range(0, len(item.children), MOST_CHILDREN):
            chunk = _Item("part")
            for child in item.children[begin : begin + MOST_CHILDREN]:
                chunk.add(child)
            chunk.parent = item
            chunks.append(chunk)
        for number, chunk in enumerate(chunks, 1):
            chunk.name = f"part {number} of {len(chunks)}"
        item.children = chunks


def _bounded(root: _Item, most: int, stands_for: dict[_Item, _Item]) -> list[_Item]:
    """Closes what there is no room for, level by level, and returns what is left in the order in which it ran."""
    room, level = most - len(root.children), root.children
    while level:
        following: list[_Item] = []
        for item in level:
            if len(item.children) <= room:
                room -= len(item.children)
                following += item.children
            else:
                inner = [each for child in item.children for each in child.inside()]
                stands_for |= dict.fromkeys(inner, item)
                item.operations = [operation for each in inner for operation in each.operations]
                item.weights += sum(each.weights * each.times for each in inner)
                item.output, item.children = inner[-1].output, []
        level = following
    return [item for item in root.inside() if item is not root]


# ---- writing it down -----------------------------------------------------------------------------------------------


class _Files:
    """Numbers the files of a diagram, and resolves each place once."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self._known: dict[tuple[int, int], tuple[Place, Spot]] = {}

    def spot(self, place: Place) -> Spot | None:
        if not isinstance(place, Site):
            return self._resolved(place)
        # The hash of a code object goes through all that it holds.
        key = id(place.code), place.instruction
        if key not in self._known:
            found = self._resolved(place)
            assert found is not None
            self._known[key] = place, found
        return self._known[key][1]

    def _resolved(self, place: Place) -> Spot | None:
        at = resolved(place)
        if at is None:
            return None
        path = text(at.path if at.path.startswith("<") else os.path.abspath(at.path))  # as findings write it
        return Spot(self.names.setdefault(path, len(self.names)), at.line, at.column, at.end_column)

    def spots(self, places: Iterable[Place]) -> list[Spot]:
        return list(dict.fromkeys(spot for place in places if (spot := self.spot(place)) is not None))[:MOST_SPOTS]


def _numbered(numbers: Mapping[_Item, int], stands_for: Mapping[_Item, _Item]) -> Callable[[_Item], int]:
    """Returns what tells the number of the node that an item is shown as."""
    known = dict(numbers)

    def number(item: _Item) -> int:
        if item not in known:
            above = stands_for.get(item, item.parent)
            known[item] = number(above) if above is not None else -1
        return known[item]

    return number


def _edges(ties: Sequence[_Tie], number_of: Callable[[_Item], int], files: _Files) -> tuple[list[Edge], int]:
    edges: dict[tuple[object, ...], Edge] = {}
    for tie in ties:
        source, target = number_of(tie.source), number_of(tie.target)
        if not 0 <= source < target:  # within one node, or from one repetition to the next
            continue
        through = list(dict.fromkeys(operation.name for operation in tie.through if operation.name != "alias"))
        key = source, target, str(tie.value), *through
        edge = edges.get(key)
        if edge is None:
            spots = files.spots(operation.site for operation in tie.through)
            edge = edges[key] = Edge(source=source, target=target, shape=str(tie.value), through=through, spots=spots)
        edge.gradient, edge.summed = edge.gradient or tie.gradient, edge.summed or tie.summed
    return list(edges.values())[:MOST_EDGES], max(0, len(edges) - MOST_EDGES)


def _node(item: _Item, numbers: Mapping[_Item, int], carries: set[int], files: _Files) -> Node:
    output = item.output
    made = output.outputs[0] if output is not None and output.outputs else None
    return Node(
        name=text(item.name or _called(item)),
        kind=text(item.kind),
        parent=numbers.get(item.parent, -1) if item.parent is not None else -1,
        shape=item.given or (str(made) if made is not None else ""),
        gradient=item.requires_grad or (output is not None and output.index in carries and made is not None and made.requires_grad),
        times=item.times,
        operations=len(item.operations),
        weights=item.weights,
        learns=any(operation.index in carries and any(map(_is_weight, operation.inputs)) for operation in item.operations),
        given=bool(item.given),
        spots=files.spots([*(operation.site for operation in item.operations), item.made]),
    )


def _called(item: _Item) -> str:
    """Returns what operations do: the neutral name of one, of several the name of the function that the program calls for them."""
    words = list(dict.fromkeys(operation.name for operation in item.operations if operation.name not in _PASSES))
    if len(words) > 1 and (place := resolved(item.operations[0].site)) is not None:
        call = _CALL.match(place.source[place.column - 1 :])
        if call is not None:
            return call[1]
    return ", ".join(words[:MOST_WORDS]) or item.operations[0].name


def _tell_apart(nodes: Sequence[Node]) -> None:
    """Counts nodes of one name in one module: `add`, `add 2`."""
    seen: dict[tuple[int, str], int] = {}
    for node in nodes:
        key = node.parent, node.name
        seen[key] = count = seen.get(key, 0) + 1
        if count > 1:
            node.name = f"{node.name} {count}"


def _is_weight(value: Value) -> bool:
    return value.requires_grad and (value.subject or "").startswith("parameter")


def _sum_up(nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
    """Tells of each module what the nodes in it tell together; its result is the last one in it that is used outside."""
    inside: dict[int, set[int]] = {number: {number} for number in range(len(nodes))}
    last: dict[int, int] = {}
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        if len(inside[number]) > 1:
            leaving = [edge.source for edge in edges if edge.source in inside[number] and edge.target not in inside[number]]
            result = nodes[max(leaving, default=last[number])]
            node.shape, node.gradient = result.shape, result.gradient
        if node.parent >= 0:
            above = nodes[node.parent]
            inside[node.parent] |= inside[number]
            last.setdefault(node.parent, last.get(number, number))
            above.operations += node.operations * node.times
            above.weights += node.weights * node.times
            above.learns = above.learns or node.learns
