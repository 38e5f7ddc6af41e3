"""Each finding as a card: headline, place, source, provenance, proof, help, and how to silence it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tensan.core import plugins
from tensan.core.findings import Told
from tensan.core.report import Report
from tensan.core.rule import Rule
from tensan.sinks._shown import place
from tensan.sinks.html.source import SourceLine, lines_around
from tensan.sinks.terminal import changed, seen

_PROOFS = {
    "law": "An exact rule of training was broken.",
    "intervention": "The step was computed again with one thing changed, and the outcome shows it.",
    "statistic": "A calibrated test; it has a stated rate of false alarms.",
    "hint": "No proof: worth a look, no more.",
}


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A related place or a consequence."""

    message: str
    where: str
    code: str = ""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, ready to be shown; `edit` is where the nearest exact edit stands, and the lines that go and come."""

    id: str
    number: int
    told: Told
    where: str
    lines: tuple[SourceLine, ...]
    seen: str
    proof: str
    evidence: tuple[tuple[str, str], ...]
    related: tuple[Note, ...]
    consequences: tuple[Note, ...]
    edit: tuple[str, ...]
    silence: str
    why: tuple[str, ...]


def cards(report: Report, shown: Iterable[Told]) -> tuple[Card, ...]:
    """Returns the cards of the findings that are shown, in their order."""
    rules = {rule.code: rule for rule in plugins.all_rules()}
    return tuple(_card(number, told, report, rules.get(told.code)) for number, told in enumerate(shown, 1))


def _card(number: int, told: Told, report: Report, rule: type[Rule] | None) -> Card:
    return Card(
        id=f"finding-{number}",
        number=number,
        told=told,
        where=place(told.path, told.line, told.column),
        lines=lines_around(told),
        seen=seen(told, steps=report.run.steps),
        proof=told.proof_note or _PROOFS.get(told.proof, told.proof),
        evidence=tuple((key, _value(value)) for key, value in told.evidence.items()),
        related=tuple(
            Note(message=str(related.get("message", "")), where=place(related.get("path"), related.get("line"), related.get("column")))
            for related in told.related
        ),
        consequences=tuple(
            Note(code=other.code, message=other.message, where=place(other.path, other.line)) for other in report.consequences(told)
        ),
        edit=tuple(changed(told).splitlines()),
        silence=f"# tensan: ignore[{told.name}] why",
        why=_paragraphs(rule.sections().get("Why is this bad?", "")) if rule is not None else (),
    )


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())
