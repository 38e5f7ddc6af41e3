"""What the rules share that explain why a program ended in an exception: the words for operands, makers and edits."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import Raised
from tensan.core.events.things import MetOperand
from tensan.core.findings import Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place, resolved, shown_path

#: What stands behind an edit that is offered.
TRIED = "run again on empty tensors of these shapes and types it fails likewise"


def explained(rule: Rule, raised: Raised, message: str, *, proof_note: str = TRIED, advice: str = "") -> Iterator[Finding]:
    """Yields what ended the program, with who made what met, and the edits that were seen to run."""
    rule.armed = True
    offered = " or ".join(repair.text if "`" in repair.text else f"`{repair.text}`" for repair in raised.repairs)
    tried = proof_note is TRIED and raised.tried and raised.repairs
    if proof_note is TRIED and not raised.tried:
        proof_note = "what it was given was looked at when it failed"
    yield rule.finding(
        message,
        at=raised.site,
        event=raised,
        label=raised.detail,
        evidence={"exception": raised.kind, "operation": raised.operation, **({"layer": raised.layer} if raised.layer else {})},
        related=list(_related(raised)) or list(raised.causes),
        proof_note=f"{proof_note}; with {'the edit below' if len(raised.repairs) == 1 else 'each of the edits below'} it runs"
        if tried
        else proof_note,
        help=" - ".join(part for part in (offered, advice) if part),
        repairs=raised.repairs,
    )


def _related(raised: Raised) -> Iterator[tuple[str, Place]]:
    """Yields who made each operand, and where the layer was built."""
    made = sorted((operand for operand in raised.operands if operand.made is not None), key=lambda operand: not _is_edited(operand, raised))
    apart = 1 if raised.layer and raised.built is not None else 2
    more = "".join(f"; {_made(operand, raised)} at {_where(operand.made)}" for operand in made[apart:3])
    for number, operand in enumerate(made[:apart]):
        yield (
            _made(operand, raised) + (more if number == 0 else ""),
            operand.built if _same_line(operand.made, raised.site) and operand.built is not None else operand.made,
        )
    if raised.layer:
        name = f"`{raised.layer_name}` is " if raised.layer_name else ""
        yield f"{name}{raised.layer}, built here", raised.built


def _made(operand: MetOperand, raised: Raised) -> str:
    name = f"`{operand.name}`" if operand.name else "it"
    built = resolved(operand.built)
    at_once = _same_line(operand.made, raised.site) and operand.built is not None
    where = f", built {'here' if at_once else f'at {shown_path(built.path)}:{built.line}'}" if built is not None else ""
    return f"{name} is {operand}, {operand.maker or 'made here'}{where}"


def _is_edited(operand: MetOperand, raised: Raised) -> bool:
    """Tells whether an edit that is offered changes an operand: then it is the one to be told of first."""
    return bool(operand.name) and any(repair.text.startswith(operand.name) for repair in raised.repairs)


def _where(place: Place) -> str:
    at = resolved(place)
    return f"{shown_path(at.path)}:{at.line}" if at is not None else ""


def _same_line(one: Place, other: Place) -> bool:
    first, second = resolved(one), resolved(other)
    return first is not None and second is not None and (first.path, first.line) == (second.path, second.line)
