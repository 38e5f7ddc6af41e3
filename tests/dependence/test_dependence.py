"""Programs in which values depend on what they must not, five kinds: the guilty line or layer is named, look-alikes are passed by.

The programs were written before the rules were looked at. Lines marked `#~ guilty` are where the fault is.
"""

from collections import defaultdict
from pathlib import Path

import pytest

from tensan.core.findings import Level

FOLDER = Path(__file__).parent / "programs"
BAD, GOOD = (sorted(FOLDER.glob(f"*/{word}_*.py")) for word in ("bad", "good"))
#: Programs of each kind that must be found.
FEWEST_FOUND = 5
#: What is not seen, and why.
UNSEEN = {
    "transpose/bad_sample_split": "rows of one sample are taken for samples by a slice",
    "padding/bad_divided_by_all": "a mean without a mask may be meant",
    "padding/bad_encoder_in_vain": "a mean without a mask may be meant",
    "padding/bad_last_state": "a recurrent layer without a mask may be meant",
}


def name_of(program):
    return f"{program.parent.name}/{program.stem}"


def found_in(program, watched):
    """What is told of a program, with all watching paid for."""
    outcome = watched(program, flags={"overhead": 100.0})
    assert outcome.status == 0, outcome.stderr
    assert outcome.report is not None
    assert not outcome.report.run.notes
    return outcome.report.at_least(Level.WARNING)


def guilty_lines(program):
    return {number for number, line in enumerate(program.read_text().splitlines(), 1) if line.endswith("#~ guilty")}


@pytest.mark.slow
@pytest.mark.parametrize("program", BAD, ids=name_of)
def test_guilty_line_is_named(program, watched):
    told = {finding.line for finding in found_in(program, watched)}
    assert bool(told & guilty_lines(program)) == (name_of(program) not in UNSEEN), told


@pytest.mark.slow
@pytest.mark.parametrize("program", GOOD, ids=name_of)
def test_look_alike_is_passed_by(program, watched):
    assert not found_in(program, watched)


def test_enough_of_each_kind():
    seen = defaultdict(int)
    for program in BAD:
        seen[program.parent.name] += name_of(program) not in UNSEEN
    assert len(seen) == 5
    assert min(seen.values()) >= FEWEST_FOUND, seen
