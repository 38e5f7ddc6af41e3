"""The report as one JSON document, for programs; its fields are a contract."""

from __future__ import annotations

from typing import ClassVar, TextIO

import msgspec

from tensan.core.curves import Curves
from tensan.core.findings import plain
from tensan.core.report import Report


class JsonSink:
    """The `json` format: hints and consequences are always in it."""

    format: ClassVar[str] = "json"

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the document and a line end."""
        whole = msgspec.structs.replace(report, curves=Curves(), diagrams=[])  # they are for eyes: the run file has them
        built = msgspec.to_builtins(whole, enc_hook=plain)
        document = plain({key: value for key, value in built.items() if key not in ("curves", "diagrams")})
        stream.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
