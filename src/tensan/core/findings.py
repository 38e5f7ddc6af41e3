"""What a rule found: one silent failure with its place, evidence and fix."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from enum import IntEnum, StrEnum

import msgspec

from tensan.core.asks import Ask
from tensan.core.edits import Repair
from tensan.core.sites import Location, Place, resolved


class Level(IntEnum):
    """How loudly a finding is said; a higher number is louder."""

    HINT = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        """The word that reports and JSON use."""
        return self.name.lower()


class Proof(StrEnum):
    """What stands behind a finding, from an exact law down to a mere hint."""

    LAW = "law"
    INTERVENTION = "intervention"
    STATISTIC = "statistic"
    HINT = "hint"

    @property
    def most(self) -> Level:
        """The loudest level that this proof allows."""
        return {"law": Level.ERROR, "intervention": Level.ERROR, "statistic": Level.WARNING, "hint": Level.HINT}[self.value]


class Category(StrEnum):
    """How sure a rule's kind of failure is to be one."""

    CORRECTNESS = "correctness"
    SUSPICIOUS = "suspicious"
    PERFORMANCE = "performance"
    PEDANTIC = "pedantic"

    @property
    def most(self) -> Level:
        """The loudest level that this category allows."""
        return {"correctness": Level.ERROR, "suspicious": Level.WARNING, "performance": Level.WARNING, "pedantic": Level.HINT}[self.value]


class Related(msgspec.Struct, frozen=True, kw_only=True):
    """Another place that helps to understand the first, such as where an operand was made."""

    message: str
    location: Place = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One silent failure. Rules make it with `Rule.finding`, which fills in what the rule already knows.

    Attributes:
        message: lower-case headline that stands alone.
        location: the guilty place; `label` is what stands under its carets.
        evidence: small values that show it, keyed by what they are.
        related: at most two places of provenance.
        proof_note: one sentence that says what shows it.
        subjects: ids of the parameters, modules, tensors and optimizers it is about; folding meets on them.
        effect: what follows from it in one word of the vocabulary in `core/folding.py`.
        explains: effects of other findings that this cause accounts for.
        repairs: ways to put it right, the nearest first.
        fix: what the remedy amounts to in recorded training, to be tried there where the user asks for it.
    """

    code: str
    name: str
    message: str
    category: Category
    proof: Proof = Proof.LAW
    location: Place = None
    label: str = ""
    evidence: Mapping[str, object] = {}
    related: tuple[Related, ...] = ()
    proof_note: str = ""
    help: str = ""
    step: int = 0
    rank: int = 0
    subjects: frozenset[str] = frozenset()
    effect: str = ""
    explains: frozenset[str] = frozenset()
    preview: bool = False
    repairs: tuple[Repair, ...] = ()
    fix: Ask | None = None

    @property
    def level(self) -> Level:
        """The lower of what its proof and its category allow; a hint while the rule is in preview."""
        return Level.HINT if self.preview else min(self.proof.most, self.category.most)


class Told(msgspec.Struct, kw_only=True, omit_defaults=False):
    """A finding as it is written down and shown: places resolved, repetitions counted, its cause known.

    The fields are those of the JSON document's `findings`; the order is the document's.

    Attributes:
        tried: what trying the fix on recorded training has shown; empty where it was not tried.
    """

    code: str
    name: str
    category: str
    level: str
    proof: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    function: str = ""
    step: int = 0
    rank: int = 0
    count: int = 1
    evidence: dict[str, object] = {}
    related: list[dict[str, object]] = []
    help: str = ""
    fingerprint: str = ""
    caused_by: str | None = None
    label: str = ""
    source: str = ""
    proof_note: str = ""
    last_step: int = 0
    preview: bool = False
    repairs: list[Repair] = []
    tried: str = ""


def tell(finding: Finding) -> Told:
    """Resolves a finding's places; the only costly moment of a finding, paid once."""
    at = resolved(finding.location)
    return Told(
        code=finding.code,
        name=finding.name,
        category=finding.category.value,
        level=finding.level.word,
        proof=finding.proof.value,
        message=text(finding.message),
        path=text(os.path.abspath(at.path) if not at.path.startswith("<") else at.path) if at else None,
        line=at.line if at else None,
        column=at.column if at else None,
        end_line=at.end_line or at.line if at else None,
        end_column=at.end_column or None if at else None,
        function=at.function if at else "",
        step=finding.step,
        last_step=finding.step,
        rank=finding.rank,
        evidence={text(key): plain(value) for key, value in finding.evidence.items()},
        related=[
            {
                "message": r.message,
                "path": text(place.path) if place else None,
                "line": place.line if place else None,
                "column": place.column if place else None,
            }
            for r in finding.related[:2]
            for place in [resolved(r.location)]
        ],
        help=finding.help,
        fingerprint=fingerprint(finding, at),
        label=text(finding.label),
        source=text(at.source) if at else "",
        proof_note=finding.proof_note,
        preview=finding.preview,
        repairs=list(finding.repairs),
    )


def fingerprint(finding: Finding, at: Location | None) -> str:
    """Returns a name for the finding that outlives edits above it: rule, file name, function and the line's own text."""
    parts = (finding.code, os.path.basename(at.path), at.function, at.source.strip()) if at else (finding.code, finding.message)
    return hashlib.sha256("\0".join(parts).encode(errors="backslashreplace")).hexdigest()[:16]


def plain(value: object) -> object:
    """Returns a value as JSON can hold it: non-finite numbers become "nan", "inf" and "-inf", others their text.

    msgspec writes NaN as null, which would hide the very thing that a report is about.
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, str)):  # msgspec takes these themselves, none of their subclasses
        return int(value) if isinstance(value, int) else text(str(value))
    if isinstance(value, Mapping):
        return {text(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return text(str(value))


def text(value: str) -> str:
    """Returns text that UTF-8 can hold: file names that are not Unicode reach Python as lone surrogates."""
    return value.encode(errors="backslashreplace").decode()
