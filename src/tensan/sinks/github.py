"""The report as annotations of GitHub Actions, which show each finding in the changed file itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar, TextIO

from tensan.core.findings import Told
from tensan.core.report import Report, summary_line
from tensan.sinks._shown import MOST, clean, more, shown

_COMMANDS = {"error": "error", "warning": "warning", "hint": "notice"}


class GithubSink:
    """The `github` format: a workflow command for each root cause.

    Attributes:
        hints: whether hints are shown.
        limit: how many root causes are shown; None for all.
    """

    format: ClassVar[str] = "github"

    def __init__(self) -> None:
        self.hints = False
        self.limit: int | None = MOST

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the commands and the summary."""
        found = shown(report, hints=self.hints)
        limit = len(found) if self.limit is None else self.limit
        lines = [annotation(told) for told in found[:limit]]
        if len(found) > limit:
            lines.append(f"::notice title=tensan::{_data(more(len(found) - limit, report.run))}")
        lines += [f"::notice title=tensan::{_data(clean(text))}" for text in report.run.notes]
        stream.write("\n".join([*lines, summary_line(report)]) + "\n")


def annotation(told: Told) -> str:
    """Returns one finding as a workflow command.

    The workspace's own path is left out of the file's, since GitHub shows an annotation only where the file is one of the repository.
    """
    fields: dict[str, object] = {"title": f"{told.code} {told.name}"}
    if told.path:
        fields |= {"file": _in_workspace(told.path, os.environ), "line": told.line or 1}
        if told.column:
            fields["col"] = told.column
        if told.end_line and told.end_column and told.end_line == told.line:
            fields |= {"endLine": told.end_line, "endColumn": told.end_column}
    words = [
        clean(told.message),
        *([f"proof: {told.proof_note}"] if told.proof_note else []),
        *([f"help: {told.help}"] if told.help else []),
        *([f"fix: {told.tried}"] if told.tried else []),
    ]
    written = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
    return f"::{_COMMANDS[told.level]} {written}::{_data(chr(10).join(words))}"


def _in_workspace(path: str, environment: Mapping[str, str]) -> str:
    workspace = environment.get("GITHUB_WORKSPACE") or os.getcwd()
    inside = os.path.relpath(path, workspace)
    return path if inside.startswith("..") else inside


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
