"""The JSON document is a contract: these fields, these names, these values."""

import io
import json

import jsonschema
import numpy

from tensan.core.findings import Told
from tensan.core.report import Report, Run
from tensan.sinks.json_document import JsonSink

TEXT, COUNT, MAYBE_COUNT, MAYBE_TEXT = {"type": "string"}, {"type": "integer"}, {"type": ["integer", "null"]}, {"type": ["string", "null"]}


def exactly(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


CONTRACT = exactly(
    schema={"const": 1},
    run=exactly(
        script=TEXT,
        status=TEXT,
        exit_status=MAYBE_COUNT,
        steps=COUNT,
        overhead_pct={"type": "number"},
        versions={"type": "object", "additionalProperties": TEXT},
        rules_armed={"type": "array", "items": TEXT},
        not_checked={"type": "array", "items": TEXT},
    ),
    findings={
        "type": "array",
        "items": exactly(
            code=TEXT,
            name=TEXT,
            category={"enum": ["correctness", "suspicious", "performance", "pedantic"]},
            level={"enum": ["error", "warning", "hint"]},
            proof={"enum": ["law", "intervention", "statistic", "hint"]},
            message=TEXT,
            path=MAYBE_TEXT,
            line=MAYBE_COUNT,
            column=MAYBE_COUNT,
            end_line=MAYBE_COUNT,
            end_column=MAYBE_COUNT,
            function=TEXT,
            step=COUNT,
            rank=COUNT,
            count=COUNT,
            evidence={"type": "object"},
            related={"type": "array", "maxItems": 2, "items": exactly(message=TEXT, path=MAYBE_TEXT, line=MAYBE_COUNT)},
            help=TEXT,
            fingerprint=TEXT,
            caused_by=MAYBE_TEXT,
        ),
    },
)


def refuse(constant):
    raise AssertionError(f"not JSON: {constant}")


def written(report):
    stream = io.StringIO()
    JsonSink().write(report, stream)
    return json.loads(stream.getvalue(), parse_constant=refuse)


def test_the_document_keeps_the_contract():
    told = Told(
        code="NUM101",
        name="non-finite-gradient",
        category="correctness",
        level="error",
        proof="law",
        message="m",
        evidence={"a": float("nan"), "b": [float("inf"), -float("inf")], "c": numpy.float64(0.5)},
        related=[{"message": "made here", "path": None, "line": None}],
    )
    effect = Told(code="OPT1", name="x", category="correctness", level="hint", proof="law", message="m", caused_by="f")
    document = written(Report(run=Run(script="s.py", status="completed", exit_status=0), findings=[told, effect]))
    jsonschema.validate(document, CONTRACT)
    assert document["findings"][0]["evidence"] == {"a": "nan", "b": ["inf", "-inf"], "c": 0.5}
    assert [list(document), document["findings"][1]["caused_by"]] == [["schema", "run", "findings"], "f"]
    assert list(document["findings"][0])[:20] == list(CONTRACT["properties"]["findings"]["items"]["properties"])
    assert list(document["run"])[:8] == list(CONTRACT["properties"]["run"]["properties"])


def test_an_empty_run_is_a_document_too():
    jsonschema.validate(written(Report()), CONTRACT)
