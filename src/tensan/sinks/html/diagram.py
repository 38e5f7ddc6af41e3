"""The diagram of a step as drawings: modules as frames around what is in them, those that there is no room for in drawings of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import msgspec

from tensan.core.diagram import Diagram, Edge, Guilt, guilt
from tensan.core.findings import Told
from tensan.sinks._outline import marked, outline, path_of, place
from tensan.sinks.html.layering import Box, Layout, Link, lay_out, path
from tensan.sinks.html.words import counted, harmless

#: Boxes in one drawing, beyond which modules stay closed.
MOST_BOXES = 26
#: Width of a character of the two sizes of text, room beside it, and the longest names.
WIDE, NARROW, BESIDE, LONGEST = 7.3, 6.7, 24.0, 34
LINE, TITLE, INSIDE = 17.0, 26.0, 12.0


class Text(msgspec.Struct, frozen=True):
    """A piece of text; the class gives its style."""

    kind: str
    text: str


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A box or a frame where it stands.

    Attributes:
        kind: classes of its style.
        lines: of text, in pieces.
        about: what is said when it is pointed at.
        target: the drawing of what is in it; `finding` is the number of what stands at it, 0 for nothing.
    """

    kind: str
    lines: tuple[tuple[Text, ...], ...]
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    about: str = ""
    target: str = ""
    finding: int = 0
    level: str = ""
    times: int = 1


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line between boxes."""

    path: str
    kind: str
    arrow: bool


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """One drawing, and those of the modules that stayed closed in it."""

    id: str
    title: str
    about: str
    width: float
    height: float
    frames: tuple[Drawn, ...]
    lines: tuple[Line, ...]
    boxes: tuple[Drawn, ...]
    closed: tuple[Drawing, ...]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded step, ready to be shown."""

    title: str
    summary: str
    drawing: Drawing
    text: str
    findings: tuple[tuple[int, str, str], ...]


def steps(diagrams: Sequence[Diagram], shown: Sequence[Told]) -> tuple[Step, ...]:
    """Returns what is shown of the recorded steps of a run.

    Args:
        diagrams: of the run.
        shown: its findings, in the order in which the page numbers them.
    """
    return tuple(_step(number, diagram, shown) for number, diagram in enumerate(diagrams, 1) if diagram.nodes)


def _step(number: int, diagram: Diagram, shown: Sequence[Told]) -> Step:
    where = guilt(diagram, shown)
    found = sorted({*where.nodes.values(), *where.edges.values()})
    models = [node.name for node in diagram.nodes if node.parent < 0 and node.kind]
    return Step(
        title=f"Step {diagram.step:,} up to {diagram.title or 'a backward'}",
        summary=f"{counted(diagram.operations, 'operation')} of {', '.join(models[:4]) or 'no module'}",
        drawing=_Artist(diagram, where, shown, prefix=f"step-{number}").draw(),
        text="\n".join(outline(diagram, shown)),
        findings=tuple((each, shown[each - 1].level, f"{shown[each - 1].code} {shown[each - 1].message}") for each in found),
    )


class _Tie(msgspec.Struct):
    """A line between two boxes of one level: the visible node that its tensor comes from, and how it looks."""

    source: int
    target: int
    origin: int
    flows: bool
    guilty: bool
    arrow: bool


class _Level:
    """What lies side by side in one frame.

    Attributes:
        at: numbers of the boxes, by what they are: a node, a label, or where the lines from one node come in or go out.
        nodes: by box, the node that it stands for, -1 for none; texts: what else is written there.
        inner: what is in the nodes that are frames.
    """

    def __init__(self) -> None:
        self.at: dict[tuple[object, ...], int] = {}
        self.boxes: list[Box] = []
        self.nodes: list[int] = []
        self.texts: list[str] = []
        self.ties: dict[tuple[int, int, int], _Tie] = {}
        self.inner: dict[int, _Level] = {}
        self.layout = Layout((), (), 0.0, 0.0)

    def box(self, *key: object, box: Box, node: int = -1, text: str = "") -> int:
        """Returns the number of a box, which is added where it is new."""
        if key not in self.at:
            self.at[key] = len(self.boxes)
            self.boxes.append(box)
            self.nodes.append(node)
            self.texts.append(text)
        return self.at[key]

    def port(self, way: str, origin: int, text: str = "") -> int:
        """Returns the number of the place at the edge of a frame where the lines from a node come in or go out."""
        size = _label(text) if text else Box(0.0, 0.0)
        return self.box(way, origin, box=msgspec.structs.replace(size, first=way == "in", last=way == "out"), text=text)

    def tie(self, source: int, target: int, origin: int, edge: Edge, guilty: bool, *, arrow: bool = False) -> None:
        """Adds a line, or makes one that is there as loud as this one."""
        known = self.ties.setdefault((source, target, origin), _Tie(source, target, origin, False, False, False))
        known.flows, known.guilty, known.arrow = known.flows or edge.gradient, known.guilty or guilty, known.arrow or arrow


class _Artist:
    """Draws one diagram."""

    def __init__(self, diagram: Diagram, where: Guilt, shown: Sequence[Told], *, prefix: str) -> None:
        self.diagram, self.where, self.shown, self.prefix = diagram, where, shown, prefix
        self.children = diagram.children()
        self.marks = [marked(diagram, where, number) for number in range(len(diagram.nodes))]
        #: The first finding in each module, for when it is closed.
        self.within = list(self.marks)
        for number in range(len(diagram.nodes) - 1, -1, -1):
            parent = diagram.nodes[number].parent
            if parent >= 0 and self.within[number]:
                self.within[parent] = min(filter(None, (self.within[parent], self.within[number])))
        #: The modules around each node, outermost first and itself last, and the edges that begin or end in each module.
        self.ways = [[*diagram.around(number)][::-1] for number in range(len(diagram.nodes))]
        self.edges: dict[int, list[int]] = {}
        for index, edge in enumerate(diagram.edges):
            for number in dict.fromkeys([-1, *self.ways[edge.source][:-1], *self.ways[edge.target][:-1]]):
                self.edges.setdefault(number, []).append(index)

    def draw(self, root: int = -1) -> Drawing:
        """Returns the drawing of what is in a module, -1 for the whole step."""
        opened = self._opened(root)
        level = self._level(root, opened)
        for index in self.edges.get(root, ()):
            edge = self.diagram.edges[index]
            outgoing, incoming = (list(_until_closed(self._way(end, root), opened)) for end in (edge.source, edge.target))
            self._run(level, outgoing, incoming, edge, guilty=index in self.where.edges)
        closed = [number for number in self._visible(level) if self.children.get(number)]
        _arrange(level, self._head)
        frames: list[Drawn] = []
        lines: list[Line] = []
        boxes: list[Drawn] = []
        self._collect(level, INSIDE, INSIDE, frames, lines, boxes)
        return Drawing(
            id=self._id(root),
            title=path_of(self.diagram, root) if root >= 0 else "the whole step",
            about=f"{counted(len(boxes), 'node')} from top to bottom",
            width=round(level.layout.width + 2 * INSIDE, 1),
            height=round(level.layout.height + 2 * INSIDE, 1),
            frames=tuple(frames),
            lines=tuple(lines),
            boxes=tuple(boxes),
            closed=tuple(map(self.draw, closed)),
        )

    def _id(self, number: int) -> str:
        return f"{self.prefix}-{number}" if number >= 0 else self.prefix

    def _opened(self, root: int) -> set[int]:
        """Returns the modules that a drawing shows from within: as many as there is room for, those with a finding first."""
        opened: set[int] = set()
        waiting = list(self.children.get(root, ()))
        room = MOST_BOXES - len(waiting)
        while waiting:
            waiting.sort(key=lambda number: (not self.within[number], len(self.ways[number]), number))
            number = waiting.pop(0)
            inner = self.children.get(number, [])
            if inner and len(inner) - 1 <= room:
                room -= len(inner) - 1
                opened.add(number)
                waiting += inner
        return opened

    def _way(self, number: int, root: int) -> list[int]:
        """Returns the modules from below a root down to a node, itself last; none where it is not below that root."""
        way = self.ways[number]
        return way if root < 0 else way[way.index(root) + 1 :] if root in way else []

    # ---- what is drawn ----

    def _level(self, root: int, opened: set[int]) -> _Level:
        level = _Level()
        for number in self.children.get(root, ()):
            level.box("node", number, box=_size(self._lines(number)), node=number)
            if number in opened:
                level.inner[number] = self._level(number, opened)
        return level

    def _visible(self, level: _Level) -> Iterator[int]:
        for number in level.nodes:
            if number in level.inner:
                yield from self._visible(level.inner[number])
            elif number >= 0:
                yield number

    def _run(self, top: _Level, outgoing: Sequence[int], incoming: Sequence[int], edge: Edge, *, guilty: bool) -> None:
        """Adds the lines of an edge: in each frame that it crosses, from where it comes in to where it goes on."""
        if outgoing and incoming and outgoing[-1] == incoming[-1]:
            return
        origin = outgoing[-1] if outgoing else edge.source
        level, same = top, 0
        while same < min(len(outgoing), len(incoming)) and outgoing[same] == incoming[same]:
            level = level.inner[outgoing[same]]
            same += 1
        inner = level
        for number, following in pairwise(outgoing[same:]):
            inner = inner.inner[number]
            inner.tie(inner.at["node", following], inner.port("out", origin), origin, edge, guilty)
        start = level.at["node", outgoing[same]] if outgoing else level.port("in", origin, f"from {self._short(origin)}")
        if not incoming:
            level.tie(start, level.port("out", edge.target, f"to {self._short(edge.target)}"), origin, edge, guilty, arrow=True)
            return
        for number in incoming[same:-1]:
            level.tie(start, level.at["node", number], origin, edge, guilty)
            level = level.inner[number]
            start = level.port("in", origin)
        end = level.at["node", incoming[-1]]
        words = _words(edge)
        if words:
            between = level.box("label", start, end, origin, words, box=_label(words), text=words)
            level.tie(start, between, origin, edge, guilty)
            start = between
        level.tie(start, end, origin, edge, guilty, arrow=True)

    def _short(self, number: int) -> str:
        return _cut(path_of(self.diagram, number))

    def _head(self, number: int) -> Box:
        return _size(self._lines(number)[:1])

    # ---- where it stands ----

    def _collect(self, level: _Level, x: float, y: float, frames: list[Drawn], lines: list[Line], boxes: list[Drawn]) -> None:
        """Adds what is drawn of a level, whose upper left corner is given."""
        for tie, points in zip(level.ties.values(), level.layout.lines, strict=True):
            shifted = [(x + across, y + down) for across, down in points]
            if level.boxes[tie.source].first and not level.texts[tie.source]:
                shifted[0] = shifted[0][0], y - TITLE
            if level.boxes[tie.target].last and not level.texts[tie.target]:
                shifted[-1] = shifted[-1][0], y + level.layout.height + INSIDE
            kind = ("guilty" if tie.guilty else "") + (" flows" if tie.flows else " still")
            lines.append(Line(path=path(shifted), kind=kind.strip(), arrow=tie.arrow))
        for number, text, box, (left, top) in zip(level.nodes, level.texts, level.boxes, level.layout.places, strict=True):
            if number in level.inner:
                frames.append(self._drawn(number, x + left, y + top, box, "frame"))
                inner = level.inner[number]
                self._collect(inner, x + left + (box.width - inner.layout.width) / 2, y + top + TITLE, frames, lines, boxes)
            elif number >= 0:
                boxes.append(self._drawn(number, x + left, y + top, box, "node"))
            elif text:
                boxes.append(_placed(x + left, y + top, box, Drawn(kind="aside", lines=((Text("narrow", text),),))))

    def _drawn(self, number: int, x: float, y: float, box: Box, kind: str) -> Drawn:
        node = self.diagram.nodes[number]
        lines = self._lines(number)
        closed = kind == "node" and bool(self.children.get(number))
        finding = self.within[number] if closed else self.marks[number] if kind == "node" else 0
        about = [
            path_of(self.diagram, number),
            node.kind,
            counted(node.weights, "weight") if node.weights else "",
            place(self.diagram, number),
        ]
        drawn = Drawn(
            kind=f"{kind}{' closed' if closed else ''}{' given' if node.given else ''}{' module' if node.kind else ''}",
            lines=lines[:1] if kind == "frame" else lines,
            about=", ".join(filter(None, about)),
            target=self._id(number) if closed else "",
            finding=finding,
            level=self.shown[finding - 1].level if finding else "",
            times=node.times,
        )
        return _placed(x, y, box, drawn)

    def _lines(self, number: int) -> tuple[tuple[Text, ...], ...]:
        node = self.diagram.nodes[number]
        first = [Text("name", _cut(harmless(node.name)))]
        if node.kind and not node.name.startswith(node.kind):
            first.append(Text("kind", _cut(harmless(node.kind))))
        if node.times > 1:
            first.append(Text("times", f"\N{MULTIPLICATION SIGN} {node.times}"))
        second = [Text("shape", node.shape or "no tensor")]
        if not node.given or node.gradient:
            second.append(Text("grad", f"\N{NABLA} {node.shape}") if node.gradient else Text("none", "\N{NABLA} none"))
        lines = [tuple(first), tuple(second)]
        if self.children.get(number):
            lines.append((Text("more", f"{counted(node.operations, 'operation')}, drawn below"),))
        elif node.weights and not node.learns:
            lines.append((Text("none", f"{counted(node.weights, 'weight')} without gradient"),))
        return tuple(lines)


def _until_closed(way: Sequence[int], opened: set[int]) -> Iterator[int]:
    """Yields the modules on the way down to a node as far as the first that is closed."""
    for number in way:
        yield number
        if number not in opened:
            return


def _arrange(level: _Level, head: Callable[[int], Box]) -> None:
    """Lays a level out, what is in its frames first.

    Args:
        level: of a drawing.
        head: returns the size of a frame's title.
    """
    for number, inner in level.inner.items():
        _arrange(inner, head)
        width = max(inner.layout.width + 2 * INSIDE, head(number).width)
        level.boxes[level.at["node", number]] = Box(width, inner.layout.height + TITLE + INSIDE)
    links = [
        Link(
            tie.source,
            tie.target,
            leaves=_offset(level, tie.source, "out", tie.origin),
            enters=_offset(level, tie.target, "in", tie.origin),
            weight=2.0 if tie.flows else 1.0,
        )
        for tie in level.ties.values()
    ]
    level.layout = lay_out(level.boxes, links)


def _offset(level: _Level, box: int, way: str, origin: int) -> float:
    """Returns how far from the middle of a frame the lines from a node cross its border."""
    inner = level.inner.get(level.nodes[box])
    port = inner.at.get((way, origin)) if inner is not None else None
    return inner.layout.places[port][0] - inner.layout.width / 2 if inner is not None and port is not None else 0.0


def _placed(x: float, y: float, box: Box, drawn: Drawn) -> Drawn:
    size = {"x": x, "y": y, "width": box.width, "height": box.height}
    return msgspec.structs.replace(drawn, **{name: round(value, 1) for name, value in size.items()})


def _size(lines: Sequence[Sequence[Text]]) -> Box:
    """Returns a box that lines of text fit into."""
    widths = [
        sum(len(each.text) for each in line) * (WIDE if number == 0 else NARROW) + (len(line) - 1) * 2 * NARROW
        for number, line in enumerate(lines)
    ]
    return Box(round(max(widths) + BESIDE, 1), len(lines) * LINE + 10)


def _label(text: str) -> Box:
    return Box(round(len(text) * NARROW + BESIDE / 2, 1), LINE)


def _words(edge: Edge) -> str:
    words = []
    if edge.through:
        words.append(" \N{RIGHTWARDS ARROW} ".join(edge.through) + f" {edge.shape}")
    if edge.summed:
        words.append(f"\N{NABLA} {edge.summed}, summed")
    return "; ".join(words)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST // 2 - 1] + "…" + text[-LONGEST // 2 :]
