"""The diagram of a step: folded by module, repetitions once, layout on edges, gradients where they flow, never too large."""

import msgspec
from recorded import Recorded, blocks

from tensan.core.condense import MOST_EDGES, condense
from tensan.core.diagram import Diagram, guilt
from tensan.core.findings import Told


def diagram_of(step, **options):
    return condense(step.operations, loss=len(step.operations) - 1, parts=step.parts, **options)


def by_name(diagram):
    return {node.name: (number, node) for number, node in enumerate(diagram.nodes)}


def edges_into(diagram, name):
    number, _ = by_name(diagram)[name]
    return {diagram.nodes[edge.source].name: edge for edge in diagram.edges if edge.target == number}


def told(line, *, column=None, end_column=None, related=()):
    fields = {"category": "correctness", "level": "error", "proof": "law", "message": "m", "path": "/x/train.py"}
    return Told(code="SHP101", name="n", line=line, column=column, end_column=end_column, related=list(related), **fields)


def test_modules_are_a_tree_and_layers_leaves_of_it():
    diagram = diagram_of(blocks(1))
    assert [(node.name, node.kind, node.shape) for node in diagram.nodes] == [
        ("batch", "", "f32[8, 4]"),
        ("input", "", "f32[8]"),
        ("Net", "Net", "f32[8, 1]"),
        ("stem", "Linear", "f32[8, 4]"),
        ("blocks.0", "Block", "f32[8, 4]"),
        ("fc", "Linear", "f32[8, 4]"),
        ("relu", "", "f32[8, 4]"),
        ("add", "", "f32[8, 4]"),
        ("head", "Linear", "f32[8, 1]"),
        ("mse_loss", "", "f32[]"),
    ]
    assert set(edges_into(diagram, "add")) == {"stem", "relu"}
    assert by_name(diagram)["Net"][1].weights == 36


def test_what_repeats_is_shown_once():
    diagram = diagram_of(blocks(12))
    number, block = by_name(diagram)["blocks.0 … 11"]
    assert (block.kind, block.times, len(diagram.nodes)) == ("Block", 12, 10)
    assert [node.name for node in diagram.nodes if node.parent == number] == ["fc", "relu", "add"]
    assert set(edges_into(diagram, "head")) == {"add"}, "what the last of them gives"
    assert set(edges_into(diagram, "fc")) == {"stem"}, "what the first of them is given"
    assert by_name(diagram)["Net"][1].weights == 16 * 13 + 4
    assert len(diagram_of(blocks(12, alike=False)).nodes) > 40, "of other shapes each is another"


def test_layout_is_on_the_edge():
    step = Recorded()
    x = step.call("matmul", step.given(2, 6, subject="batch"), shape=(2, 6), path="fc", kind="Linear", weights=4)
    flat = step.call("view", x, shape=(12,), line=3)
    step.call("sum", step.call("relu", flat, shape=(12,), line=4), shape=(), line=5)
    edge = edges_into(diagram_of(step), "relu")["fc"]
    assert (edge.shape, edge.through, edge.gradient) == ("f32[12]", ["view"], True)


def test_gradient_stops_where_it_is_cut():
    step = Recorded()
    x = step.call("matmul", step.given(2, 6, subject="batch"), shape=(2, 6), path="a", kind="Linear", weights=4)
    cut = step.call("detach", x, shape=(2, 6), line=3, gradient=False)
    step.call("sum", step.call("matmul", cut, shape=(2, 6), path="b", kind="Linear", weights=4), shape=(), line=5)
    nodes = by_name(diagram_of(step))
    assert (nodes["a"][1].gradient, nodes["a"][1].learns) == (False, False)
    assert (nodes["b"][1].gradient, nodes["b"][1].learns) == (True, True)
    edge = edges_into(diagram_of(step), "b")["a"]
    assert (edge.through, edge.gradient) == (["detach"], False)


def test_the_gradient_of_what_is_broadcast_is_summed():
    step = Recorded()
    rows = step.call("matmul", step.given(8, 4, subject="batch"), shape=(8, 1), path="a", kind="Linear", weights=4)
    columns = step.call("matmul", step.given(8, 4, subject="batch"), shape=(8,), path="b", kind="Linear", weights=4)
    step.call("mean", step.call("sub", rows, columns, shape=(8, 8), line=4), shape=(), line=5)
    edges = edges_into(diagram_of(step), "sub")
    assert {name: edge.summed for name, edge in edges.items()} == {"a": "f32[8, 8]", "b": "f32[8, 8]"}


def test_never_larger_than_it_may_be():
    for step in (blocks(400, alike=False), flat := Recorded()):
        if step is flat:
            x = step.given(4, subject="batch")
            for number in range(3_000):
                x = step.call("add" if number % 2 else f"op{number}", x, shape=(4,), line=number)
        diagram = diagram_of(step)
        assert 20 < len(diagram.nodes) <= 250
        assert len(diagram.edges) <= MOST_EDGES
        assert len(msgspec.json.encode(diagram)) < 150_000
        assert all(node.parent < number for number, node in enumerate(diagram.nodes))
        assert all(edge.source < edge.target for edge in diagram.edges)
        assert msgspec.json.decode(msgspec.json.encode(diagram), type=Diagram) == diagram


def test_a_finding_stands_where_it_ran():
    diagram = diagram_of(blocks(3))
    names = by_name(diagram)
    loss, _ = names["mse_loss"]
    for finding in (told(30, column=5, end_column=8), told(30)):
        found = guilt(diagram, [told(99), finding])
        assert found.nodes == {loss: 2}
        assert [diagram.nodes[diagram.edges[each].source].name for each in found.edges] == ["head"], (
            "what comes from outside is no guilty edge"
        )
    assert not guilt(diagram, [told(99)]).nodes
    beside = told(99, related=[{"message": "made here", "path": "/x/train.py", "line": 11}])
    assert guilt(diagram, [beside]).nodes == {names["relu"][0]: 1}
