"""The report as one page for a browser, which loads nothing from anywhere."""

from __future__ import annotations

from typing import ClassVar, TextIO

from tensan.core.report import Report


class HtmlSink:
    """The `html` format: one file with findings, curves and what was not looked at.

    Attributes:
        hints: whether hints are shown.
    """

    format: ClassVar[str] = "html"

    def __init__(self) -> None:
        self.hints = False

    def write(self, report: Report, stream: TextIO) -> None:
        """Writes the page."""
        from tensan.sinks.html.document import page  # jinja2 is the page's alone: a run that asks for none never imports it

        stream.write(page(report, hints=self.hints))
