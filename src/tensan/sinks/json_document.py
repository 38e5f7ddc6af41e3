"""The report as one JSON document, for programs; its fields are a contract."""

from __future__ import annotations

from typing import ClassVar, TextIO

import msgspec

from tensan.core.findings import plain
from tensan.core.report import Report


class JsonSink:
    """The `json` format: hints and consequences are always in it."""

    format: ClassVar[str] = "json"

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the document and a line end."""
        document = plain(msgspec.to_builtins(report, enc_hook=plain))
        stream.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
