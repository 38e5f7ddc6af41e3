"""What we look at a region with is gone when the region has ended."""

from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "evaluated_in_both_modes.py"


def test_no_dispatch_mode_is_left_behind(stem):
    outcome = stem.run(PROGRAM, flags={"overhead": 100.0})
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.count("active modes 0") == 4, outcome.stdout
    assert {"MOD102", "MOD105"} <= set(outcome.report.run.rules_armed)
