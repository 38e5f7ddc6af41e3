"""Faults that are not finite, on small tasks: no step reaches the weights, and what is learned is what is learned without them."""

from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "programs" / "faults.py"
TASKS = ("regression", "images", "sequence")
FAULTS = ("loss", "gradient", "moment", "buffer", "data")


def run(stem, task, fault, length, **flags):
    outcome = stem.run(PROGRAM, arguments=[task, fault, str(length)], flags={"overhead": 0.5, **flags})
    assert not [note for note in outcome.report.run.notes if note.startswith("TEN")], outcome.report.run.notes
    return outcome


@pytest.fixture(scope="module")
def clean(stem):
    found = {}
    for task in TASKS:
        outcome = stem.run(PROGRAM, arguments=[task, "none", "0"], watched=False)
        found[task] = float(outcome.stdout.split()[-1])
    return found


@pytest.mark.parametrize("length", [1, 5])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("task", TASKS)
def test_rewinding_goes_on(stem, clean, task, fault, length):
    outcome = run(stem, task, fault, length, recover="rewind")
    contaminated, finite, loss = outcome.stdout.split()
    assert (outcome.status, contaminated, finite) == (0, "0", "True"), outcome.report.run.notes
    assert outcome.report.run.actions
    assert float(loss) <= 1.1 * clean[task] + 0.01


@pytest.mark.parametrize("length", [1, 5])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("task", TASKS)
def test_skipping_goes_on_unless_that_cannot_help(stem, clean, task, fault, length):
    outcome = run(stem, task, fault, length, recover="skip")
    if fault == "moment":  # it stays broken, whatever step is left out
        assert (outcome.status, outcome.stdout, outcome.report.run.status) == (1, "", "stopped")
        assert [action.kind for action in outcome.report.run.actions] == ["stop"]
        assert "--recover rewind" in outcome.report.run.actions[0].text
        return
    contaminated, finite, loss = outcome.stdout.split()
    assert (outcome.status, contaminated, finite) == (0, "0", "True"), outcome.report.run.notes
    assert float(loss) <= 1.1 * clean[task] + 0.01


def test_without_recovery_they_ruin_the_run(stem):
    outcome = run(stem, "images", "gradient", 1)
    contaminated, finite, _ = outcome.stdout.split()
    assert (finite, int(contaminated) > 50) == ("False", True)
