"""The drawings of a step: nothing overlaps, lines go down, the same each time, well-formed; and the step as text."""

import io
import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import blocks
from reports_of_pages import HOSTILE, hostile, told

from tensan.core.condense import condense
from tensan.core.report import Report, Run
from tensan.sinks._outline import outline
from tensan.sinks.html import HtmlSink
from tensan.sinks.html.diagram import MOST_BOXES, steps
from tensan.sinks.html.layering import Box, Link, lay_out


def diagram_of(step, **options):
    return condense(step.operations, loss=len(step.operations) - 1, parts=step.parts, title="train.py:31", **options)


def overlap(one, other):
    (x, y, width, height), (left, top, wide, high) = one, other
    return x < left + wide - 0.2 and left < x + width - 0.2 and y < top + high - 0.2 and top < y + height - 0.2


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 14))
    boxes = [Box(draw(st.integers(10, 200)), draw(st.integers(10, 80))) for _ in range(count)]
    pairs = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=25))
    return boxes, [Link(a, b) for a, b in sorted(pairs) if a < b]


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_layout(graph):
    boxes, links = graph
    layout = lay_out(boxes, links)
    assert layout == lay_out(boxes, links)
    placed = [(x, y, box.width, box.height) for (x, y), box in zip(layout.places, boxes, strict=True)]
    assert not any(overlap(one, other) for one, other in itertools.combinations(placed, 2))
    assert all(x >= -0.1 and y >= -0.1 and x + w <= layout.width + 0.2 and y + h <= layout.height + 0.2 for x, y, w, h in placed)
    for link, line in zip(links, layout.lines, strict=True):
        assert all(y <= below + 1e-6 for (_, y), (_, below) in itertools.pairwise(line)), "goes down"
        for box in (placed[link.source], placed[link.target]):
            assert any(abs(x - box[0] - box[2] / 2) < 0.2 and box[1] - 0.2 <= y <= box[1] + box[3] + 0.2 for x, y in line), "meets its ends"
        for number, box in enumerate(placed):
            if number not in (link.source, link.target):  # a line is straight within a layer, where the boxes are
                assert not any(
                    x == right and box[0] + 0.2 < x < box[0] + box[2] - 0.2 and y < box[1] + box[3] - 0.2 and below > box[1] + 0.2
                    for (x, y), (right, below) in itertools.pairwise(line)
                ), "runs through no box"


def drawings(drawing):
    yield drawing
    for inner in drawing.closed:
        yield from drawings(inner)


@pytest.mark.parametrize("step", [blocks(1), blocks(12), blocks(60, alike=False)], ids=["one", "alike", "many"])
def test_drawings(step):
    diagram = diagram_of(step)
    (shown,) = steps([diagram], [])
    assert shown == steps([diagram], [])[0]
    found = list(drawings(shown.drawing))
    assert len({each.id for each in found}) == len(found)
    drawn = 0
    for each in found:
        boxes = [(box.x, box.y, box.width, box.height) for box in each.boxes]
        drawn += sum(box.kind != "aside" and not box.target for box in each.boxes)
        assert not any(overlap(one, other) for one, other in itertools.combinations(boxes, 2))
        assert all(x >= 0 and y >= 0 and x + w <= each.width and y + h <= each.height for x, y, w, h in boxes)
        assert len([box for box in each.boxes if box.kind != "aside"]) <= max(MOST_BOXES, 40)
        assert {box.target for box in each.boxes if box.target} == {inner.id for inner in each.closed}, "what is closed is drawn below"
        assert [frame.times for frame in each.frames if frame.times > 1] in ([], [12])
    inner = diagram.children()
    assert drawn == sum(number not in inner for number in range(len(diagram.nodes))), "each leaf once"


def test_a_thousand_nodes():
    diagram = diagram_of(blocks(300, alike=False), most=2_000)
    assert len(diagram.nodes) > 1_000
    (shown,) = steps([diagram], [])
    assert all(sum(box.kind != "aside" for box in each.boxes) <= 48 and each.height < 6_000 for each in drawings(shown.drawing))
    assert all(name in shown.text for name in ("stem", "blocks", "mse_loss"))


def page(report):
    stream = io.StringIO()
    HtmlSink().write(report, stream)
    return stream.getvalue()


def test_svg_is_well_formed_and_marks_the_finding(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("\n" * 40)
    found = told(path="/x/train.py", line=30)
    text = page(Report(run=Run(script="train.py", status="completed"), findings=[found], diagrams=[diagram_of(blocks(3))]))
    pictures = [ElementTree.fromstring(each) for each in re.findall(r'<svg class="step".*?</svg>', text, re.DOTALL)]
    assert pictures
    (marked,) = [group for group in pictures[0].iter("{http://www.w3.org/2000/svg}g") if "found error" in group.get("class", "")]
    assert "mse_loss" in "".join(marked.itertext())
    guilty = [each for each in pictures[0].iter("{http://www.w3.org/2000/svg}path") if "guilty" in each.get("class", "")]
    assert len(guilty) == 3, "out of the frame of its model, and on to it; and the arrow"
    for picture in pictures:
        assert picture.find("{http://www.w3.org/2000/svg}title") is not None
        assert picture.find("{http://www.w3.org/2000/svg}desc") is not None


def test_hostile_names_are_text(tmp_path):
    report = hostile(tmp_path / "train.py")
    text = page(report)
    pictures = re.findall(r'<svg class="step".*?</svg>', text, re.DOTALL)
    assert pictures
    for each in pictures:
        root = ElementTree.fromstring(each)
        kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert kinds <= {"svg", "title", "desc", "defs", "marker", "path", "g", "rect", "text", "tspan", "a", "circle"}
    assert "<script>window.pwned" not in text
    lines = list(outline(report.diagrams[0], []))
    assert all(line.isprintable() for line in lines), HOSTILE


def test_as_text():
    found = told(path="/x/train.py", line=30)
    assert list(outline(diagram_of(blocks(12)), [found])) == AS_TEXT.splitlines()


AS_TEXT = """\
step 0 up to train.py:31: 39 operations, and what gradient comes back
    batch                         f32[8, 4]
    input                         f32[8]
    Net                           212 weights
      stem  Linear                f32[8, 4]  grad f32[8, 4]  <- batch  train.py:2
      blocks.0 … 11  Block  \N{MULTIPLICATION SIGN} 12  16 weights
        fc  Linear                f32[8, 4]  grad f32[8, 4]  train.py:10
        relu                      f32[8, 4]  grad f32[8, 4]  train.py:11
        add                       f32[8, 4]  grad f32[8, 4]  <- Net.stem, relu  train.py:12
      head  Linear                f32[8, 1]  grad f32[8, 1]  train.py:20
--> mse_loss                      f32[]      grad f32[]      <- Net.head (grad f32[8, 8], summed), input  train.py:30
    ^ error[SHP101]: loss compares `f32[64, 1]` with `f32[64]`
"""
