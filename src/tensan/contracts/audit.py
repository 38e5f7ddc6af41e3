"""How an audit of a model is shown: as a table of text, as one of a notebook, and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from tensan.core.audited import Audited, Call

_HEAD = ("layer", "kind", "inputs", "output", "parameters")


class Audit:
    """What `tensan.shapes.audit` returns; printed, it is a table with what was found below it.

    Attributes:
        calls: each call of a layer and each operation between layers, in the order of data flow, with `path`, `kind`, `inputs`,
            `outputs` and `parameters`.
        axes: what each symbol in the shapes stands for.
        findings: what is fixed, never used, or returned in a container; one sentence each.
        note: why torch.export did not tell the symbols, and what did; empty where it did.
        parameters: how many numbers the model learns.

    Args:
        audited: the model on an example.
        draw: makes its picture.
    """

    def __init__(self, audited: Audited, *, draw: Callable[[Audited], str]) -> None:
        self._audited, self._draw = audited, draw
        self.calls, self.axes, self.findings = audited.calls, audited.axes, audited.findings
        self.note, self.parameters = audited.note, audited.parameters

    def __str__(self) -> str:
        rows = [_HEAD, *map(_cells, self.calls)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, "", *self._words()])

    __repr__ = __str__

    def svg(self) -> str:
        """Returns the picture: inputs, layers and operations from top to bottom, each with its shape, as a file of SVG holds it."""
        return self._draw(self._audited)

    def _repr_html_(self) -> str:
        head, *rows = (
            "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
            for tag, row in (("th", _HEAD), *(("td", _cells(call)) for call in self.calls))
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        words = "".join(f"<li>{escape(line)}</li>" for line in self._words())
        picture = f"<details><summary>Picture</summary>{self.svg()}</details>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{words}</ul>{picture}"

    def _words(self) -> Iterator[str]:
        yield f"{self.parameters:,} parameters"
        for symbol, meaning in self.axes.items():
            yield f"{symbol}: {meaning}"
        for finding in self.findings:
            yield f"found: {finding}"
        if self.note:
            yield f"note: {self.note}"


def _cells(call: Call) -> tuple[str, ...]:
    outputs = ", ".join(f"{name}: {shape}" if name else shape for name, shape in call.outputs.items())
    return call.path or "(model)", call.kind, ", ".join(call.inputs), outputs, f"{call.parameters:,}" if call.parameters else ""
