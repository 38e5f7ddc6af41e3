"""The report as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TextIO
from urllib.parse import quote

import msgspec

from tensan._version import __version__
from tensan.core import plugins
from tensan.core.edits import Repair, by_file
from tensan.core.findings import Told, plain
from tensan.core.report import Report
from tensan.core.rule import Rule
from tensan.sinks._shown import lines_of

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
#: The name under which the fingerprint is kept; a new way to compute it would need a new name.
_FINGERPRINT = "tensan/v1"
#: Lines of source before and after the guilty ones.
AROUND = 3


class SarifSink:
    """The `sarif` format: root causes are results, what follows from them stands in their properties."""

    format: ClassVar[str] = "sarif"

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the document and a line end."""
        stream.write(msgspec.json.format(msgspec.json.encode(plain(document(report)))).decode() + "\n")


def document(report: Report) -> dict[str, Any]:
    """Returns the document as plain values."""
    rules = plugins.all_rules()
    run = report.run
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tensan",
                        "semanticVersion": __version__,
                        "rules": [_descriptor(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": run.exit_status in (0, None),
                        **({"exitCode": run.exit_status} if run.exit_status is not None else {}),
                        "toolExecutionNotifications": [{"level": "note", "message": {"text": text}} for text in run.notes],
                    }
                ],
                "results": [_result(told, report, rules) for told in report.roots],
                "properties": {
                    "script": run.script,
                    "status": run.status,
                    "steps": run.steps,
                    "rulesArmed": run.rules_armed,
                    "notChecked": run.not_checked,
                    "suppressed": run.suppressed,
                },
            }
        ],
    }


def _descriptor(rule: type[Rule]) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary()},
        "fullDescription": {"text": rule.sections().get("Why is this bad?") or rule.summary()},
        "help": {"text": rule.page(), "markdown": rule.page()},
        "defaultConfiguration": {"level": _LEVELS[rule.category.most.word]},
        "properties": {"category": rule.category.value, "law": rule.law, "since": rule.since, "preview": rule.preview},
    }


def _result(told: Told, report: Report, rules: Sequence[type[Rule]]) -> dict[str, Any]:
    index = next((number for number, rule in enumerate(rules) if rule.code == told.code), -1)
    words = [told.message, *([told.help] if told.help else [])]
    result: dict[str, Any] = {
        "ruleId": told.code,
        "level": _LEVELS[told.level],
        "message": {"text": ". ".join(words)},
        "locations": [_location(told)] if told.path else [],
        "partialFingerprints": {_FINGERPRINT: told.fingerprint},
        "occurrenceCount": max(told.count, 1),
        "relatedLocations": [
            {"id": number, "message": {"text": str(related.get("message", ""))}, **_physical(related)}
            for number, related in enumerate(told.related, 1)
            if related.get("path")
        ],
        "properties": {
            "proof": told.proof,
            "proofNote": told.proof_note,
            "fixTried": told.tried,
            "step": told.step,
            "rank": told.rank,
            "evidence": told.evidence,
            "consequences": [f"{other.code} {other.message}" for other in report.consequences(told)],
        },
    }
    fixes = [_fix(repair) for repair in told.repairs if repair.edits]
    result |= {"fixes": fixes} if fixes else {}
    return result if index < 0 else result | {"ruleIndex": index}


def _fix(repair: Repair) -> dict[str, Any]:
    return {
        "description": {"text": repair.text},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": _uri(path)},
                "replacements": [
                    {
                        "deletedRegion": {
                            "startLine": edit.line,
                            "startColumn": edit.column,
                            "endLine": edit.end_line,
                            "endColumn": edit.end_column,
                        },
                        "insertedContent": {"text": edit.replacement},
                    }
                    for edit in edits
                ],
            }
            for path, edits in by_file(repair.edits).items()
        ],
    }


def _location(told: Told) -> dict[str, Any]:
    place = _physical({"path": told.path, "line": told.line, "column": told.column})
    region = place["physicalLocation"].get("region")
    if region is not None and told.end_line and told.end_column:
        region |= {"endLine": told.end_line, "endColumn": told.end_column}
    if told.source and region is not None:
        region["snippet"] = {"text": told.source}
        around = _around(told)
        if around is not None:
            place["physicalLocation"]["contextRegion"] = around
    return place | ({"logicalLocations": [{"name": told.function, "kind": "function"}]} if told.function else {})


def _around(told: Told) -> dict[str, Any] | None:
    """Returns the lines around the guilty one, unless the file has changed since."""
    assert told.path is not None
    assert told.line is not None
    lines = lines_of(told.path)
    if told.line > len(lines) or lines[told.line - 1].rstrip("\n") != told.source.rstrip("\n"):
        return None
    end = max(told.end_line or told.line, told.line)
    first, last = max(1, told.line - AROUND), min(len(lines), end + AROUND)
    if (first, last) == (told.line, end):  # it must show more than the region does
        return None
    return {"startLine": first, "endLine": last, "snippet": {"text": "".join(lines[first - 1 : last])}}


def _physical(place: dict[str, Any]) -> dict[str, Any]:
    region = {"startLine": place["line"]} if place.get("line") else None
    if region is not None and place.get("column"):
        region["startColumn"] = place["column"]
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(str(place["path"]))}, **({"region": region} if region else {})}}


def _uri(path: str) -> str:
    """Returns a path relative to the working folder where it lies below it, which is how code hosts find the file."""
    inside = os.path.relpath(path)
    if inside.startswith("..") or path.startswith("<"):
        return Path(path).as_uri() if os.path.isabs(path) else quote(path.strip("<>"))
    return quote(Path(inside).as_posix())
