"""Faults that stay finite: the run goes back, or leaves data out, and comes to what it comes to without; a clean one is left alone."""

from pathlib import Path

import pytest

from tensan.core.gate import Passage, Ruling, Verdict
from tensan.recovery.policy import Policy

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "recovery" / "training.py"


def run(stem, task, fault, length, **flags):
    outcome = stem.run(PROGRAM, arguments=[task, fault, str(length), "1"], flags=flags, limit=300)
    assert not [note for note in outcome.report.run.notes if note.startswith("TEN")], outcome.report.run.notes
    return float(outcome.stdout.split()[-1]), outcome.report.run.actions


@pytest.mark.parametrize(
    ("task", "fault", "length", "kind"),
    [
        ("images", "labels", 20, "rewind"),
        ("regression", "labels", 20, "skip"),
        ("images", "rate", 0, "rewind"),
        ("sequence", "rate", 0, "rewind"),
    ],
)
def test_a_finite_fault_does_no_lasting_harm(stem, task, fault, length, kind):
    clean, _ = run(stem, task, "none", 0)
    ruined, _ = run(stem, task, fault, length)
    mended, actions = run(stem, task, fault, length, recover="rewind", alarm_interval=1_000_000)
    assert mended <= 1.1 * clean
    assert mended < ruined
    assert kind in {action.kind for action in actions}
    assert "is usual (once in " in actions[0].text


@pytest.mark.parametrize("fault", ["none", "restarts", "drops", "flips"])
@pytest.mark.parametrize("task", ["images", "noisy"])
def test_a_clean_run_is_left_alone(stem, task, fault):
    bare, _ = run(stem, task, fault, 0)
    assert run(stem, task, fault, 0, recover="rewind", alarm_interval=1_000_000) == (bare, [])


def test_a_divergence_of_two_percent_a_step_is_told():
    found = 0
    for seed in range(20):
        policy, ruling = Policy(rewinds=True, bad_steps=64, interval=100_000), None
        for step in range(300):
            loss = (1 + 0.1 * ((seed + 7 * step) * 2654435761 % 1000 / 500 - 1)) * 1.02 ** max(0, step - 200)
            ruling = policy.judge(Passage(optimizer="1", step=step, nonfinite=0.0, norm=1.0, loss=loss, rate=0.1, rewindable=True))
            if isinstance(ruling, Ruling) and ruling.verdict is Verdict.REWIND:
                found += step >= 200 and ruling.before is not None and 190 <= ruling.before <= step
                break
    assert found == 20
