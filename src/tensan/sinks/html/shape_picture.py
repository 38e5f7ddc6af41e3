"""The picture of an audit of shapes: inputs, layers, operations and what is returned, as SVG that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from tensan.core.audited import Audited
from tensan.sinks.html.layering import Box, Link, lay_out, path
from tensan.sinks.html.words import harmless

#: Width of a character, room beside the text, height of a line, and the longest text.
_WIDE, _BESIDE, _LINE, _LONGEST = 7.3, 24.0, 17.0, 44
_EDGE = 12.0
_STYLE = (
    "svg.shapes{color-scheme:light dark;font:12px ui-monospace,monospace;background:light-dark(#fff,#16181d)}"
    ".shapes text{fill:light-dark(#1d2129,#e6e8ec)}"
    ".shapes rect{fill:light-dark(#f4f6fa,#22262e);stroke:light-dark(#8b95a7,#6c778a)}"
    ".shapes .layer rect{stroke:light-dark(#2456c4,#7ea6ff);stroke-width:1.5}"
    ".shapes .given rect,.shapes .returned rect{fill:light-dark(#e4efe6,#1e3025)}"
    ".shapes .unused rect{stroke:light-dark(#b3261e,#ff8a80);stroke-dasharray:5 3}"
    ".shapes .shape{fill:light-dark(#4a5568,#aab3c2)}"
    ".shapes path.edge{fill:none;stroke:light-dark(#8b95a7,#6c778a);stroke-width:1.3}"
    ".shapes marker path{fill:light-dark(#8b95a7,#6c778a)}"
)


class _Node(NamedTuple):
    """A box: the classes of its style, its lines, and what is said when it is pointed at."""

    kind: str
    lines: tuple[str, ...]
    about: str


def picture(audited: Audited) -> str:
    """Returns the picture of a model's shapes.

    Args:
        audited: the model on an example.
    """
    nodes, edges = _graph(audited)
    boxes = [
        Box(_width(node), len(node.lines) * _LINE + 12, first=node.kind.startswith("given"), last=node.kind == "returned") for node in nodes
    ]
    layout = lay_out(boxes, [Link(source, target) for source, target in edges])
    width, height = round(layout.width + 2 * _EDGE, 1), round(layout.height + 2 * _EDGE, 1)
    size = f'width="{width}" height="{height}"'
    shifted = [[(x + _EDGE, y + _EDGE) for x, y in line] for line in layout.lines]
    return "\n".join(
        [
            f'<svg class="shapes" xmlns="http://www.w3.org/2000/svg" role="img" {size} viewBox="0 0 {width} {height}">',
            f"<title>Shapes in the model</title><desc>{escape(_said(audited))}</desc><style>{_STYLE}</style>",
            '<defs><marker id="shapes-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z"/></marker></defs>',
            *(f'<path class="edge" d="{path(line)}" marker-end="url(#shapes-arrow)"/>' for line in shifted),
            *(_drawn(node, box, place) for node, box, place in zip(nodes, boxes, layout.places, strict=True)),
            "</svg>",
        ]
    )


def _graph(audited: Audited) -> tuple[list[_Node], list[tuple[int, int]]]:
    """Returns the nodes, inputs first, then calls, then what is returned; and which goes into which, each pair once."""
    inputs, calls = list(audited.given.items()), audited.calls
    edges: dict[tuple[int, int], None] = {}

    def node_of(source: int) -> int:
        return source + len(inputs) if source >= 0 else -1 - source

    for number, call in enumerate(calls):
        for source in call.sources:
            if source is not None and node_of(source) != number + len(inputs):
                edges[node_of(source), number + len(inputs)] = None
    last = len(inputs) + len(calls)
    for source in audited.returned:
        if source is not None:
            edges[node_of(source), last] = None
    leaves = {source for source, _ in edges}
    nodes = [
        _Node("given" if number in leaves else "given unused", (name, shape), "an input") for number, (name, shape) in enumerate(inputs)
    ]
    for call in calls:
        layer = bool(call.parameters) or call.kind[:1].isupper()
        title = " ".join(filter(None, (call.path if layer else "", call.kind)))
        about = ", ".join(filter(None, (call.path, f"{call.parameters:,} parameters" if call.parameters else "")))
        shapes = tuple(f"{name}: {shape}" if name else shape for name, shape in call.outputs.items())
        nodes.append(_Node("layer" if layer else "operation", (title, *shapes), about))
    if any(target == last for _, target in edges):
        nodes.append(_Node("returned", ("returned",), "what the model returns"))
    return nodes, list(edges)


def _said(audited: Audited) -> str:
    axes = "; ".join(f"{symbol}: {meaning}" for symbol, meaning in audited.axes.items())
    return f"{len(audited.calls)} layers and operations from top to bottom, each with the shape of its result. {harmless(axes)}"


def _drawn(node: _Node, box: Box, place: Sequence[float]) -> str:
    x, y = round(place[0] + _EDGE, 1), round(place[1] + _EDGE, 1)
    about = f"<title>{escape(harmless(node.about))}</title>" if node.about else ""
    return (
        f'<g class="{node.kind}">{about}<rect x="{x:g}" y="{y:g}" width="{box.width:g}" height="{box.height:g}" rx="6"/>'
        f"{''.join(_texts(node, x, y))}</g>"
    )


def _texts(node: _Node, x: float, y: float) -> Iterator[str]:
    for number, line in enumerate(node.lines):
        style = ' class="shape"' if number else ""
        yield f'<text x="{x + _BESIDE / 2:g}" y="{y + _LINE * (number + 1):g}"{style}>{escape(_cut(line))}</text>'


def _width(node: _Node) -> float:
    return round(max(len(_cut(line)) for line in node.lines) * _WIDE + _BESIDE, 1)


def _cut(text: str) -> str:
    text = harmless(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2 - 1]}…{text[-_LONGEST // 2 :]}"
