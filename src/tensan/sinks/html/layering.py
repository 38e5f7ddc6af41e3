"""Lays a graph out in layers from top to bottom: layers by longest path, order by the middle of the neighbours, lines straight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

#: Pixels between layers, between neighbours in a layer, and beside a line that passes a layer.
BETWEEN_LAYERS, BETWEEN_BOXES, BESIDE_LINES = 24.0, 18.0, 10.0
#: The same between a layer and the places where lines come into a frame or go out of it.
AT_BORDERS = 16.0
_SWEEPS = 10
#: A line that passes layers is kept straight at the cost of others, and so is one between two boxes that have no other neighbour there.
_STRAIGHT, _ALONE = 12.0, 6.0


class Box(msgspec.Struct, frozen=True):
    """Something to be placed: its size, and whether it must stand in the first or in the last layer."""

    width: float
    height: float
    first: bool = False
    last: bool = False


class Link(msgspec.Struct, frozen=True):
    """A line between two boxes: their numbers, where it leaves and enters, from the middle of each, and how straight it should be."""

    source: int
    target: int
    leaves: float = 0.0
    enters: float = 0.0
    weight: float = 1.0


class Layout(msgspec.Struct, frozen=True):
    """Where the boxes stand (their top left corners), the lines as points that go down, and the size of the whole."""

    places: tuple[tuple[float, float], ...]
    lines: tuple[tuple[tuple[float, float], ...], ...]
    width: float
    height: float


class _Slot:
    """A place in a layer: a box, or where a line passes."""

    def __init__(self, layer: int, box: Box | None, at: float) -> None:
        self.layer, self.box, self.at = layer, box, at
        self.half = box.width / 2 if box is not None else 0.0
        self.above: list[tuple[_Slot, float, float]] = []
        self.below: list[tuple[_Slot, float, float]] = []
        self.middle = 0.0


def lay_out(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
    """Returns the layout of a graph without cycles; the same for the same graph.

    Args:
        boxes: what is to be placed.
        links: lines from one of them to another.
    """
    if not boxes:
        return Layout((), (), 0.0, 0.0)
    depth = _layers(boxes, links)
    slots = [_Slot(layer, box, float(number)) for number, (layer, box) in enumerate(zip(depth, boxes, strict=True))]
    leaving, entering = Counter(link.source for link in links), Counter(link.target for link in links)
    alone = [leaving[link.source] == 1 == entering[link.target] for link in links]
    chains = [_chain(link, slots, weight=link.weight * (_ALONE if single else 1.0)) for link, single in zip(links, alone, strict=True)]
    layers: list[list[_Slot]] = [[] for _ in range(max(depth) + 1)]
    for slot in dict.fromkeys([*slots, *(slot for chain in chains for slot in chain)]):
        layers[slot.layer].append(slot)
    _order(layers)
    _place(layers)
    left = min(slot.middle - slot.half for layer in layers for slot in layer)
    right = max(slot.middle + slot.half for layer in layers for slot in layer)
    heights = [max((slot.box.height for slot in layer if slot.box is not None), default=0.0) for layer in layers]
    tops = [0.0]
    for height, following in pairwise(heights):
        tops.append(tops[-1] + height + (BETWEEN_LAYERS if height and following else AT_BORDERS))
    places = tuple(
        (slot.middle - slot.half - left, tops[slot.layer] + _down(slot) * (heights[slot.layer] - box.height))
        for slot, box in zip(slots, boxes, strict=True)
    )
    lines = tuple(_points(link, chain, places, boxes, tops, heights, left) for link, chain in zip(links, chains, strict=True))
    return Layout(places, lines, right - left, tops[-1] + heights[-1])


def _down(slot: _Slot) -> float:
    """Returns how far down a box stands in a layer that is higher: near to what it is tied to."""
    return 0.5 if slot.above and slot.below else 1.0 if slot.below else 0.0


def _layers(boxes: Sequence[Box], links: Sequence[Link]) -> list[int]:
    """Returns the layer of each box: as far down as the longest way to it; what begins a way stands right above what follows it."""
    depth = [0] * len(boxes)
    below: list[list[int]] = [[] for _ in boxes]
    waits = [0] * len(boxes)
    for link in links:
        below[link.source].append(link.target)
        waits[link.target] += 1
    begins = [number for number, count in enumerate(waits) if count == 0]
    ready = list(begins)
    while ready:
        number = ready.pop()
        for target in below[number]:
            depth[target] = max(depth[target], depth[number] + 1)
            waits[target] -= 1
            if waits[target] == 0:
                ready.append(target)
    for number in begins:
        if not boxes[number].first and below[number]:
            depth[number] = min(depth[target] for target in below[number]) - 1
    deepest = max(depth)
    if any(box.last for box in boxes) and any(level == deepest and not box.last for level, box in zip(depth, boxes, strict=True)):
        deepest += 1
    return [deepest if box.last else level for level, box in zip(depth, boxes, strict=True)]


def _chain(link: Link, slots: Sequence[_Slot], *, weight: float) -> list[_Slot]:
    """Ties the ends of a link together, through a slot in each layer between them; returns all of them."""
    source, target = slots[link.source], slots[link.target]
    between = [_Slot(layer, None, source.at) for layer in range(source.layer + 1, target.layer)]
    chain = [source, *between, target]
    for upper, lower in pairwise(chain):
        leaves = link.leaves if upper is source else 0.0
        enters = link.enters if lower is target else 0.0
        strength = weight * (_STRAIGHT if upper.box is None and lower.box is None else 1.0)
        lower.above.append((upper, leaves - enters, strength))
        upper.below.append((lower, enters - leaves, strength))
    return chain


def _order(layers: Sequence[list[_Slot]]) -> None:
    """Orders each layer by the middle of its neighbours, down and up, so that few lines cross."""
    for layer in layers:
        _number(layer)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else layers[::-1]:
            for slot in layer:
                neighbours = slot.above if down else slot.below
                if neighbours:
                    slot.middle = sum(other.at + shift / 1_000 for other, shift, _ in neighbours) / len(neighbours)
                else:
                    slot.middle = slot.at
            layer.sort(key=lambda slot: slot.middle)
            _number(layer)


def _number(layer: Sequence[_Slot]) -> None:
    for number, slot in enumerate(layer):
        slot.at = float(number) - (len(layer) - 1) / 2


def _place(layers: Sequence[Sequence[_Slot]]) -> None:
    """Moves slots sideways to where their lines run straight, as far as the order and the room between them allow."""
    for layer in layers:
        _settle(layer, [0.0] * len(layer), [1.0] * len(layer))
    for sweep in range(2 * _SWEEPS):
        both = sweep >= _SWEEPS
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            wanted, weights = [], []
            for slot in layer:
                neighbours = slot.above + slot.below if both else slot.above if sweep % 2 == 0 else slot.below
                weight = sum(each for *_, each in neighbours)
                wanted.append(sum((other.middle + shift) * each for other, shift, each in neighbours) / weight if weight else slot.middle)
                weights.append(weight or 0.01)
            _settle(layer, wanted, weights)


def _settle(layer: Sequence[_Slot], wanted: Sequence[float], weights: Sequence[float]) -> None:
    """Gives each slot the middle nearest to the wanted one at which none overlaps: neighbours that would meet move as one."""
    offsets = [0.0]
    for left, right in pairwise(layer):
        room = BETWEEN_BOXES if left.box is not None and right.box is not None else BESIDE_LINES
        offsets.append(offsets[-1] + left.half + right.half + room)
    blocks: list[tuple[float, float, int]] = []
    for number in range(len(layer)):
        value, weight, count = wanted[number] - offsets[number], weights[number], 1
        while blocks and blocks[-1][0] > value:
            other, more, several = blocks.pop()
            value, weight, count = (value * weight + other * more) / (weight + more), weight + more, count + several
        blocks.append((value, weight, count))
    number = 0
    for value, _, count in blocks:
        for _ in range(count):
            layer[number].middle = value + offsets[number]
            number += 1


def _points(
    link: Link,
    chain: Sequence[_Slot],
    places: Sequence[tuple[float, float]],
    boxes: Sequence[Box],
    tops: Sequence[float],
    heights: Sequence[float],
    left: float,
) -> tuple[tuple[float, float], ...]:
    """Returns a line from the lower edge of its source to the upper edge of its target; in a layer it runs straight down."""
    points: list[tuple[float, float]] = []
    for slot in chain:
        top, bottom = tops[slot.layer], tops[slot.layer] + heights[slot.layer]
        x = slot.middle - left
        if slot is chain[0]:
            points += [(x + link.leaves, places[link.source][1] + boxes[link.source].height), (x + link.leaves, bottom)]
        elif slot is chain[-1]:
            points += [(x + link.enters, top), (x + link.enters, places[link.target][1])]
        else:
            points += [(x, top), (x, bottom)]
    return tuple(points)


def path(points: Iterable[tuple[float, float]]) -> str:
    """Returns a line as SVG draws it: straight within layers, bent between them."""
    (x, y), *rest = ((round(across, 1), round(down, 1)) for across, down in points)
    text = f"M{x:g} {y:g}"
    for next_x, next_y in rest:
        if next_x == x:
            text += f"V{next_y:g}" if next_y != y else ""
        else:
            half = (y + next_y) / 2
            text += f"C{x:g} {half:g} {next_x:g} {half:g} {next_x:g} {next_y:g}"
        x, y = next_x, next_y
    return text
