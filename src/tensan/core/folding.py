"""One bug, one alarm: a finding that another one explains becomes its consequence.

Effects are words of a small vocabulary, so that rules of different authors meet:
`no-gradient`, `no-update`, `wrong-gradient`, `wrong-scale`, `wrong-rate`, `non-finite`, `wrong-mode`, `wrong-data`,
`wrong-state`, `unowned`, `unmasked` (what should be hidden is seen), `scrambled` (values lie along a wrong axis), `no-effect` (what was
asked for did nothing).
"""

from __future__ import annotations

from collections.abc import Sequence

from tensan.core.findings import Finding

EVERYTHING = "*"


def causes(findings: Sequence[Finding]) -> list[int | None]:
    """Returns for each finding the index of its root cause, or None where it is one itself.

    A finding folds under another when the other's cause explains its effect and their subjects meet (`*` meets all).
    Chains are followed to their root; of two that explain each other, the one that came first stands.
    """
    parents: list[int | None] = [None] * len(findings)
    for child, finding in reversed(list(enumerate(findings))):
        for cause, other in enumerate(findings):
            if cause == child or not finding.effect or finding.effect not in other.explains or not _meet(finding, other):
                continue
            if _root(parents, cause) == child:  # they explain each other: the earlier stands
                continue
            parents[child] = cause
            break
    return [None if parent is None else _root(parents, parent) for parent in parents]


def _meet(left: Finding, right: Finding) -> bool:
    return bool(left.subjects & right.subjects) or EVERYTHING in left.subjects or EVERYTHING in right.subjects


def _root(parents: Sequence[int | None], index: int) -> int:
    while (parent := parents[index]) is not None:
        index = parent
    return index
