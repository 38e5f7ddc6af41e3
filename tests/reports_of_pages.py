"""Reports for the tests of the page: one whose every word is hostile, one of a long run, and an ordinary one."""

import math

from recorded import blocks

from tensan.core.condense import condense
from tensan.core.curves import Column, Curves, Fact, Mark, Series, Spacing
from tensan.core.diagram import Diagram, Edge, Node, Spot
from tensan.core.findings import Told
from tensan.core.report import Report, Run

#: What a program may call its files, classes and errors.
HOSTILE = (
    "<script>window.pwned = 1</script>\"'><img src=x onerror=window.pwned=2>\u202egnihtyna\u2066\n"
    "</title></style>{{ 7*7 }}&amp;`<b>`\x1b[31m\0"
)


def told(**fields):
    known = {
        "code": "SHP101",
        "name": "broadcast-in-loss",
        "category": "correctness",
        "level": "error",
        "proof": "law",
        "message": "loss compares `f32[64, 1]` with `f32[64]`",
        "fingerprint": "a",
    }
    return Told(**(known | fields))


def hostile(script):
    script.write_text(f"x = 1\nbad = {HOSTILE.splitlines()[0]!r} + '</script>'  # <script>\nz = 3\n")
    line = script.read_text().splitlines()[1]
    fields = {"message": HOSTILE, "label": HOSTILE, "function": HOSTILE, "help": HOSTILE, "proof_note": HOSTILE, "source": line}
    place = {"path": str(script), "line": 2, "column": 7, "end_line": 2, "end_column": 12}
    finding = told(**fields, **place, evidence={HOSTILE: [HOSTILE, 1.5]}, related=[{"message": HOSTILE, "path": HOSTILE, "line": 1}])
    other = told(fingerprint="b", caused_by="a", level="hint", message=HOSTILE, path=HOSTILE, line=1)
    unknown = told(fingerprint="c", code=HOSTILE, name=HOSTILE, level="warning", path=HOSTILE, line=3, source=HOSTILE, column=1)
    run = Run(
        script=HOSTILE,
        status=HOSTILE,
        started=HOSTILE,
        versions={HOSTILE: HOSTILE},
        rules_armed=["SHP101", HOSTILE],
        rules_total=9,
        not_checked=[HOSTILE],
        notes=[HOSTILE],
        cost={HOSTILE: 1.0},
        steps=3,
    )
    curves = Curves(
        series=[Series(kind="loss", name=HOSTILE, points=[(0, 1.0), (1, "nan"), (2, 3.0)])],
        layers=[HOSTILE],
        columns=[Column(0, 0, [-100])],
        marks=[Mark(1, HOSTILE)],
        facts=[Fact(kind=HOSTILE, title=HOSTILE, lines=[(HOSTILE, HOSTILE)])],
    )
    spots = [Spot(0, 2, 7, 12)]
    diagram = Diagram(
        title=HOSTILE,
        nodes=[
            Node(name=HOSTILE, shape=HOSTILE, given=True),
            Node(name=HOSTILE, kind=HOSTILE, times=3),
            Node(name=HOSTILE, parent=1, shape=HOSTILE, gradient=True, operations=1, spots=spots),
            Node(name=HOSTILE, shape=HOSTILE, operations=1),
        ],
        edges=[Edge(source=0, target=2, through=[HOSTILE], shape=HOSTILE), Edge(source=2, target=3, gradient=True, summed=HOSTILE)],
        files=[str(script)],
    )
    return Report(run=run, findings=[finding, unknown, other], curves=curves, diagrams=[diagram])


def taken(steps, enough):
    spacing, found = Spacing(enough), []
    for step in range(steps):
        if spacing.due(step):
            spacing.took(step)
            found.append(step)
    return found


def long(steps=10_000, layers=500):
    """What such a run leaves, spaced as the adapter spaces it."""
    series = [
        Series(
            kind=kind, name=f"{kind}, train.py:{number}", points=[(step, 2 + math.sin(step / 300) + step % 7) for step in taken(steps, 256)]
        )
        for kind in ("loss", "gradient", "rate", "update")
        for number in range(6)
    ]
    columns = [Column(step, 0, [-(row * 7 + step) % 600 for row in range(layers)]) for step in taken(steps, 48)]
    marks = [Mark(step, f"epoch {step // 50} of the loader made at train.py:12") for step in range(0, steps, 50)]
    names = [f"transformer.encoder.layers.{row // 10}.self_attention.projection_{row % 10}" for row in range(layers)]
    findings = [
        told(fingerprint=str(number), step=number * 37, line=number + 1, path="train.py", message=f"finding {number}")
        for number in range(60)
    ]
    run = Run(script="train.py", status="completed", exit_status=0, steps=steps, rules_total=70, rules_armed=["SHP101"])
    curves = Curves(series=series, layers=names, columns=columns, marks=marks)
    step = blocks(layers // 2, alike=False)
    diagram = condense(step.operations, loss=len(step.operations) - 1, parts=step.parts, title="train.py:31")
    return Report(run=run, findings=findings, curves=curves, diagrams=[diagram])


def thousand():
    """A run whose step has a thousand nodes."""
    step = blocks(250, alike=False)
    diagram = condense(step.operations, loss=len(step.operations) - 1, parts=step.parts, title="train.py:31", most=2_000)
    finding = told(path="/x/train.py", line=11, fingerprint="z")
    return Report(run=Run(script="train.py", status="completed", steps=3), findings=[finding], diagrams=[diagram])
