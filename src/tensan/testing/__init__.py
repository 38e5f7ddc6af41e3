"""For authors of rules: tests cases the way Tensan tests its own.

A third party's whole test of its rules is `check_cases(Path("cases"))`; `programs` and `check` are for those who want one test a
program. `python -m tensan.testing cases TEXT` checks those whose name holds the text.
"""

from tensan.testing.cases import CaseError, Program, programs
from tensan.testing.check import check, check_cases, complaints, report_complaints
from tensan.testing.neutral import changes, compare
from tensan.testing.stem import Outcome, Stem

__all__ = [
    "CaseError",
    "Outcome",
    "Program",
    "Stem",
    "changes",
    "check",
    "check_cases",
    "compare",
    "complaints",
    "programs",
    "report_complaints",
]
